"""The evaluation: the same for both colours, kept up to date, and never near a mate."""

import random
from typing import Any

import chess
import numpy as np
import pytest

import naive
from engine.board.makemove import make, unmake
from engine.board.position import POSITION, new_position
from engine.evaluation import psqt
from engine.evaluation.evaluate import evaluate_root
from engine.evaluation.psqt import psq_of
from engine.kernel import COMPILED, entry
from engine.search.score import MATE_IN_MAX
from naive_search import random_positions
from uci.adapter import board_of, fill
from uci.bench import POSITIONS

GAMES = 60 if COMPILED else 1


@entry(POSITION, np.int64, np.int64)
def psq_after(pos: Any, total: Any, move: Any) -> Any:
    return psqt.psq_after(pos, total, move)


@entry(np.int64)
def halves_joined(packed: Any) -> Any:
    return (psqt.middlegame(packed) << 32) + psqt.endgame(packed)


@entry(np.int64)
def endgame(packed: Any) -> Any:
    return psqt.endgame(packed)


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_the_colours_are_equal() -> None:
    for board in [*random_positions(8, GAMES), *map(board_of, POSITIONS)]:
        score = evaluate_root(naive.position(board))
        assert evaluate_root(naive.position(board.mirror())) == score, board.fen()


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_scores_look_like_scores() -> None:
    """Far from a mate, near what the pieces are worth."""
    worth = {chess.PAWN: 100, chess.KNIGHT: 310, chess.BISHOP: 330, chess.ROOK: 500}
    worth |= {chess.QUEEN: 980, chess.KING: 0}
    for board in [*random_positions(9, GAMES), *map(board_of, POSITIONS)]:
        score = evaluate_root(naive.position(board))
        assert abs(score) < MATE_IN_MAX // 2
        material = sum(
            worth[piece.piece_type] * (1 if piece.color == board.turn else -1)
            for piece in board.piece_map().values()
        )
        assert abs(score - material) < 900, board.fen()


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
        assert abs(evaluate_root(naive.position(board))) < MATE_IN_MAX // 2


@pytest.mark.interpreted
def test_packed_scores_carry_their_sign() -> None:
    for middle in (-30_000, -1, 0, 1, 30_000):
        for end in (-30_000, -1, 0, 1, 30_000):
            packed = psqt.pack(middle, end)
            assert endgame(packed) == end
            assert halves_joined(packed) == packed


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("chess960", [False, True])
def test_placement_follows_the_moves(chess960: bool) -> None:
    """For every legal move of random games, castling, en passant and promotion among them."""
    pos, met = new_position(), set()
    for seed in range(12 if COMPILED else 1):
        for board in naive.random_game(random.Random(seed), chess960, 120 if COMPILED else 20):
            fill(pos, board)
            total = psq_of(pos)
            for code in naive.codes(board):
                foretold = psq_after(pos, total, code)
                make(pos, code)
                assert psq_of(pos) == foretold, f"{code:#x} in {board.fen()}"
                unmake(pos)
                met.add(code >> 12)
    assert not COMPILED or met >= {0, 1, 2, 4, 5, 8, 11, 12, 15}
