"""A few games against itself, every move checked by python-chess."""

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search.searcher import Searcher
from helpers.naive_search import replay, search
from uci.chess_io.convert import Game, RootPosition, move_to_uci

DEPTH, PLIES = (5, 60) if COMPILED else (1, 16)


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("start", [518, 0, 959, 333] if COMPILED else [518])
def test_a_game(start: int) -> None:
    """One searcher plays a whole game, without clearing its table and histories."""
    searcher = Searcher(1)
    root = RootPosition(searcher.pos)
    board = chess.Board.from_chess960_pos(start)
    while len(board.move_stack) < PLIES and not board.is_game_over(claim_draw=False):
        root.show(Game(str(start), (), board))
        found = search(searcher, DEPTH)
        assert len(found) == DEPTH
        for iteration in found:
            replay(board, iteration.pv)
        board.push_uci(move_to_uci(found[-1].pv[0], chess960=True))
