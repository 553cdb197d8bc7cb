"""Kernels for evaluations that users write; `pythagoras.evaluation` exports them."""

from engine.board.annotations import Bitboard, Count, Square
from engine.board.bitboard import ONE
from engine.jit.intrinsics import lsb as _lsb
from engine.jit.intrinsics import popcount as _popcount
from engine.jit.kernel import kernel


@kernel
def popcount(bitboard: Bitboard) -> Count:
    """Return the number of squares of a bitboard."""
    return _popcount(bitboard)


@kernel
def lsb(bitboard: Bitboard) -> Square:
    """Return the lowest square of a bitboard, a1 being the lowest; undefined without any."""
    return _lsb(bitboard)


@kernel
def without_lsb(bitboard: Bitboard) -> Bitboard:
    """Return a bitboard without its lowest square."""
    return bitboard & (bitboard - ONE)
