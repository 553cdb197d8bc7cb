"""Bitboards: sets of squares as ``uint64``, bit 0 for a1 and bit 63 for h8.

A bitboard only ever meets ``uint64``: mixed with a signed integer it would turn into
a float, compiled and interpreted alike.
"""

import numpy as np

from engine.board.annotations import Bitboard, Flag, Square
from engine.jit.kernel import kernel

U64 = np.uint64
NOTHING = U64(0)
ONE = U64(1)
EVERYTHING = U64(0xFFFFFFFFFFFFFFFF)

FILE_A = U64(0x0101010101010101)
FILE_H = U64(0x8080808080808080)
NOT_FILE_A = ~FILE_A
NOT_FILE_H = ~FILE_H
RANK_1 = U64(0x00000000000000FF)
RANK_3 = U64(0x0000000000FF0000)
RANK_6 = U64(0x0000FF0000000000)
RANK_8 = U64(0xFF00000000000000)
BACK_RANKS = RANK_1 | RANK_8
LIGHT_SQUARES = U64(0x55AA55AA55AA55AA)

EIGHT, SEVEN, NINE = U64(8), U64(7), U64(9)


@kernel
def bit(square: Square) -> Bitboard:
    """Return the bitboard of one ``square``."""
    return ONE << U64(square)


@kernel
def more_than_one(bitboard: Bitboard) -> Flag:
    """Return whether more than one square is set."""
    return (bitboard & (bitboard - ONE)) != NOTHING if bitboard != NOTHING else False
