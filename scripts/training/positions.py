"""Training positions: 32 bytes each, from the view of the side to move.

The board is turned so that the mover is white; one nibble per piece, in the order of the squares.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.board.bitboard import NOTHING, ONE, U64
from engine.board.position import occupancy
from engine.board.types import BLACK
from engine.jit.intrinsics import lsb
from engine.jit.kernel import kernel

Samples = NDArray[np.void]
"""An array of `SAMPLE`."""

UNKNOWN, UNPLAYED = 3, 4
"""Instead of a result: after random moves later in the game, or in a PV, which has no result."""

SAMPLE = np.dtype(
    [
        ("occupied", np.uint64),
        ("pieces", np.uint8, 16),
        ("expected", np.float32),
        ("score", np.int16),
        ("result", np.uint8),
    ],
    align=True,
)
"""For the side to move: the search's ``score`` in centipawns, the ``result`` (0 lost, 1 drawn,
2 won, `UNKNOWN` or `UNPLAYED`), and the ``expected`` share of the points, 0 to 1, at this score."""


@kernel
def pack(pos: Any, sample: Any) -> None:
    """Write the board of ``pos`` into ``sample``."""
    black = pos.side == BLACK
    turned = NOTHING
    for i in range(16):
        sample.pieces[i] = 0
    count = np.int64(0)
    rest = occupancy(pos)
    while rest != NOTHING:
        square = lsb(rest)
        rest &= rest - ONE
        turned |= ONE << U64(square ^ 56 if black else square)
    sample.occupied = turned
    while turned != NOTHING:
        square = lsb(turned)
        turned &= turned - ONE
        piece = np.int64(pos.board[square ^ 56 if black else square])
        if black:
            piece = piece + 6 if piece < 6 else piece - 6
        sample.pieces[count >> 1] |= np.uint8(piece << (count & 1) * 4)
        count += 1
