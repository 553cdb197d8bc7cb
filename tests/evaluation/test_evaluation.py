"""The evaluation: symmetric in colours, sane about material, and never near a mate score."""

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search.score import MATE_IN_MAX
from helpers import naive
from helpers.naive_search import random_positions, static_score
from uci.chess_io.convert import board_of
from uci.session.bench import POSITIONS

GAMES = 60 if COMPILED else 1


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_the_colours_are_equal() -> None:
    for board in [*random_positions(8, GAMES), *map(board_of, POSITIONS)]:
        score = static_score(naive.position(board))
        assert static_score(naive.position(board.mirror())) == score, board.fen()


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("piece", "QRBN")
def test_a_piece_more_is_better(piece: str) -> None:
    board = chess.Board()
    board.remove_piece_at({"Q": chess.D8, "R": chess.A8, "B": chess.C8, "N": chess.B8}[piece])
    board.castling_rights &= chess.BB_A1 | chess.BB_H1 | chess.BB_H8
    for board.turn, sign in ((chess.WHITE, 1), (chess.BLACK, -1)):
        assert sign * static_score(naive.position(board.fen())) > 100


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    "fen",
    [
        "QQQQQQQQ/Q5RR/2BB4/3NN3/8/8/8/K1k5 w - - 0 1",
        "k7/8/8/3q4/qqqq4/qqqq4/rrbbnn2/7K b - - 0 1",
        "7k/PPPPPPPP/8/8/8/8/8/QRRBBNNK w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    ],
)
def test_the_most_one_sided_positions(fen: str) -> None:
    board = chess.Board(fen)
    for board.turn in chess.COLORS:
        assert abs(static_score(naive.position(board))) < MATE_IN_MAX
