"""Which quiet moves give check, against python-chess."""

import random
from itertools import islice

import chess
import pytest

from engine.board.checks import checks_itself
from helpers import naive
from uci.chess_io.adapter import encode_move

PIECES = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def gives_check(board: chess.Board, move: chess.Move) -> bool:
    """Return whether the piece that moves attacks the king afterwards, which python-chess knows."""
    piece = board.piece_type_at(move.from_square)
    after = board.copy(stack=False)
    after.push(move)
    return piece in PIECES and move.to_square in after.checkers()


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_against_python_chess() -> None:
    rng = random.Random(1)
    seen = dict.fromkeys(PIECES, 0)
    for _ in range(12):
        for board in islice(naive.random_game(rng, False, 120), 6, None, 3):
            pos = naive.position(board)
            for move in board.legal_moves:
                if board.is_capture(move) or move.promotion:
                    continue
                checks = gives_check(board, move)
                assert bool(checks_itself(pos, encode_move(board, move))) == checks, board.fen()
                if checks:
                    seen[board.piece_type_at(move.from_square)] += 1
    assert min(seen.values()) > 3, seen
