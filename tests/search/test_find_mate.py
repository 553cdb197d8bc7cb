"""The proof that there is no mate: what is stored there holds whatever led to a position."""

from collections.abc import Iterator

import chess
import pytest

from engine.jit.kernel import COMPILED
from helpers.naive_search import minimax, plain_searcher, random_positions, search
from uci.chess_io.adapter import board_of, fill

PERPETUAL = "6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32"


def positions() -> Iterator[chess.Board]:
    yield board_of(PERPETUAL)
    for board in random_positions(31, 4):
        board.halfmove_clock = 0
        yield board


@pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes")
def test_a_repetition_inside_the_tree_does_not_count() -> None:
    """So no result depends on the path to a position: the score is minimax without them."""
    searcher = plain_searcher()
    differing = 0
    for board in positions():
        fill(searcher.pos, board)
        searcher._thread.proving = 1
        for depth in (4, 3, 2):
            expected = minimax(searcher.pos, 0, depth, 200_000, inside=False)
            if expected is not None:
                assert search(searcher, depth)[-1].score == expected, board.fen()
                differing += expected != minimax(searcher.pos, 0, depth, 200_000)
                break
    assert differing
