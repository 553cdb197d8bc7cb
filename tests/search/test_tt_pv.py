"""The table's mark of nodes that are or were PV nodes."""

from typing import Any

import pytest

from engine.board.position import POSITION
from engine.jit.kernel import COMPILED
from engine.search import tt
from engine.search.searcher import Searcher
from engine.search.thread import THREAD
from helpers import naive
from helpers.entries import entry
from helpers.naive_search import search
from uci.chess_io.convert import board_of, encode_move, fill

pytestmark = pytest.mark.interpreted


@entry(POSITION, THREAD)
def was_pv(pos: Any, th: Any) -> Any:
    return tt.entry_was_pv(tt.probe(th, pos.key))


def test_the_table_remembers_pv_nodes() -> None:
    """All nodes of the PV within the main search are marked, and not all other nodes."""
    searcher, board = Searcher(1), board_of(None)
    fill(searcher.pos, board)
    line = search(searcher, 6 if COMPILED else 4)[-1].pv
    th = searcher._threads[0].th
    for step in line[:3]:
        board.push(next(each for each in board.legal_moves if encode_move(board, each) == step))
        assert was_pv(naive.position(board), th) == 1
    board = board_of(None)
    marks = []
    for each in board.legal_moves:
        board.push(each)
        marks.append(int(was_pv(naive.position(board), th)))
        board.pop()
    assert 0 < sum(marks) < len(marks)
