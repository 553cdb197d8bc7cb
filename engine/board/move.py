"""A move in 16 bits: origin, target << 6, flag << 12. Castling goes from king to own rook."""

from typing import Any

import numpy as np

from engine.jit.kernel import kernel


@kernel
def encode(origin: Any, target: Any, flag: Any) -> Any:
    """Pack a move."""
    return origin | target << 6 | flag << 12


@kernel
def origin_of(move: Any) -> Any:
    """Return the square that the move leaves."""
    return np.int64(move) & 63


@kernel
def target_of(move: Any) -> Any:
    """Return the square that the move reaches; for castling, the rook's."""
    return np.int64(move) >> 6 & 63


@kernel
def flag_of(move: Any) -> Any:
    """Return the four flag bits."""
    return np.int64(move) >> 12 & 15


@kernel
def is_capture(move: Any) -> Any:
    """Return whether the move takes a piece, en passant included."""
    return np.int64(move) >> 14 & 1 != 0


@kernel
def is_promotion(move: Any) -> Any:
    """Return whether the move promotes a pawn."""
    return np.int64(move) >> 15 & 1 != 0


@kernel
def is_noisy(move: Any) -> Any:
    """Return whether the move captures or promotes."""
    return np.int64(move) >> 14 & 3 != 0


@kernel
def promoted_type(move: Any) -> Any:
    """Return the piece type, knight to queen, of a promotion."""
    return (np.int64(move) >> 12 & 3) + 1
