"""A move in 16 bits: origin, target << 6, flag << 12. Castling goes from king to own rook."""

import numpy as np

from engine.board.annotations import Count, Flag, Move, Piece, Square
from engine.jit.kernel import kernel


@kernel
def encode(origin: Square, target: Square, flag: Count) -> Count:
    """Pack a move."""
    return origin | target << 6 | flag << 12


@kernel
def origin_of(move: Move) -> Square:
    """Return the square that the move leaves."""
    return np.int64(move) & 63


@kernel
def target_of(move: Move) -> Square:
    """Return the square that the move reaches; for castling, the rook's."""
    return np.int64(move) >> 6 & 63


@kernel
def flag_of(move: Move) -> Count:
    """Return the four flag bits."""
    return np.int64(move) >> 12 & 15


@kernel
def is_capture(move: Move) -> Flag:
    """Return whether the move takes a piece, en passant included."""
    return np.int64(move) >> 14 & 1 != 0


@kernel
def is_promotion(move: Move) -> Flag:
    """Return whether the move promotes a pawn."""
    return np.int64(move) >> 15 & 1 != 0


@kernel
def is_noisy(move: Move) -> Flag:
    """Return whether the move captures or promotes."""
    return np.int64(move) >> 14 & 3 != 0


@kernel
def promoted_type(move: Move) -> Piece:
    """Return the piece type, knight to queen, of a promotion."""
    return (np.int64(move) >> 12 & 3) + 1
