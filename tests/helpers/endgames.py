"""Random endgames."""

import random
from collections.abc import Sequence

import chess

KINDS = [chess.PAWN, chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]


def random_endgame(rng: random.Random, pieces: int, clocks: Sequence[int] = (0,)) -> chess.Board:
    """Return a legal position of two kings and ``pieces`` others with at least one legal move.

    Its halfmove clock is chosen from ``clocks``.
    """
    while True:
        board = chess.Board(None, chess960=True)
        squares = rng.sample(chess.SQUARES, pieces + 2)
        for colour in chess.COLORS:
            board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
        for square in squares:
            board.set_piece_at(square, chess.Piece(rng.choice(KINDS), rng.random() < 0.5))
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice(clocks)
        if board.is_valid() and any(board.generate_legal_moves()):
            return board
