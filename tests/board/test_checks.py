"""Which moves give check, against python-chess."""

import random
from itertools import islice

import chess
import pytest

from engine.board.checks import checks_itself, gives_check
from helpers import naive
from uci.chess_io.adapter import encode_move

PIECES = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)


def checks_directly(board: chess.Board, move: chess.Move) -> bool:
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
    discovered = by_pawn = captures = 0
    for _ in range(12):
        for board in islice(naive.random_game(rng, False, 120), 6, None, 3):
            pos = naive.position(board)
            for move in board.legal_moves:
                if move.promotion or board.is_en_passant(move) or board.is_castling(move):
                    continue
                code, checks = encode_move(board, move), board.gives_check(move)
                assert bool(gives_check(pos, code)) == checks, board.fen()
                directly = checks_directly(board, move)
                if board.is_capture(move):
                    captures += checks
                    continue
                assert bool(checks_itself(pos, code)) == directly, board.fen()
                if directly:
                    seen[board.piece_type_at(move.from_square)] += 1
                elif checks and board.piece_type_at(move.from_square) == chess.PAWN:
                    by_pawn += 1
                elif checks:
                    discovered += 1
    assert min(*seen.values(), discovered, by_pawn, captures) > 3, (seen, discovered, by_pawn)
