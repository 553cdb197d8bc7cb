"""Which moves give check, against python-chess."""

import random
from itertools import islice

import chess
import pytest

from engine.board.checks import gives_check
from helpers import naive
from uci.chess_io.convert import encode_move


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_against_python_chess() -> None:
    rng = random.Random(1)
    direct = dict.fromkeys(chess.PIECE_TYPES, 0)
    discovered = captures = 0
    for _ in range(12):
        for board in islice(naive.random_boards(rng, False, 120), 6, None, 3):
            pos = naive.position(board)
            for move in board.legal_moves:
                if move.promotion or board.is_en_passant(move) or board.is_castling(move):
                    continue
                checks = board.gives_check(move)
                assert bool(gives_check(pos, encode_move(board, move))) == checks, board.fen()
                if checks:
                    captures += board.is_capture(move)
                    if naive.gives_direct_check(board, move):
                        direct[board.piece_type_at(move.from_square)] += 1
                    else:
                        discovered += 1
    assert direct.pop(chess.KING) == 0
    assert min(*direct.values(), discovered, captures) > 3, (direct, discovered, captures)
