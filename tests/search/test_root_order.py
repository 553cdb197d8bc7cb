"""The first depth searches the root moves in the order of any other node."""

import chess
import pytest

from engine.board.movegen import legal_moves
from engine.jit.kernel import COMPILED
from engine.search.limits import Limits
from engine.search.searcher import Searcher
from helpers.naive_search import random_positions, search
from uci.chess_io.convert import board_of, fill, move_to_uci

PROMOTIONS = "N7/PPPPPPPP/K1k3rB/b1pnnb1p/8/1r6/pp3p2/7q w - - 0 1"


def ordered(searcher: Searcher) -> list[int]:
    searcher.begin(Limits(), None)
    return searcher._threads[0].root_moves()


@pytest.mark.interpreted
def test_all_moves_captures_first() -> None:
    searcher = Searcher(1)
    for board in random_positions(7, 6):
        fill(searcher.pos, board)
        searcher.clear()
        moves = ordered(searcher)
        assert sorted(moves) == sorted(legal_moves(searcher.pos))
    fill(searcher.pos, board_of("4k3/2q5/1P6/8/4n3/3P4/8/4K3 w - - 0 1"))
    assert [move_to_uci(move, False) for move in ordered(searcher)[:2]] == ["b6c7", "d3e4"]


def test_the_reply_of_an_earlier_search_comes_first() -> None:
    searcher, board = Searcher(1), chess.Board(chess960=True)
    fill(searcher.pos, board)
    move, reply, *_ = search(searcher, 7)[-1].pv
    board.push_uci(move_to_uci(move, chess960=True))
    fill(searcher.pos, board)
    assert ordered(searcher)[0] == reply


@pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes")
def test_a_depth_of_one_ends_in_time_among_promotions() -> None:
    searcher = Searcher(16)
    fill(searcher.pos, board_of(PROMOTIONS))
    search(searcher, 1)
    assert searcher.nodes < 100_000
