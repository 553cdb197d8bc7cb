"""Zobrist keys (Albert Zobrist, 1970): the XOR of one random number for each feature.

The numbers come from `engine.board.splitmix`, so that the same position has the same key on every
machine and under every version of numpy.
"""

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Count, Key, Piece, Square
from engine.board.splitmix import GOLDEN, splitmix
from engine.jit.kernel import kernel


def _random(count: int, seed: int) -> NDArray[np.uint64]:
    return splitmix(np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * GOLDEN)


PIECE_KEYS = _random(12 * 64, 1).reshape(12, 64)
"""Keys by piece code and square."""
_CASTLING = _random(16, 2)
_EN_PASSANT = _random(64, 3)
_EN_PASSANT[0] = 0
SIDE_KEY = _random(1, 4)[0]
"""Part of the key when black is to move."""


@kernel
def piece_key(piece: Piece, square: Square) -> Key:
    """Return the key of ``piece`` on ``square``."""
    return PIECE_KEYS[piece, square]


@kernel
def castling_key(rights: Count) -> Key:
    """Return the key of the four castling ``rights`` together."""
    return _CASTLING[rights]


@kernel
def en_passant_key(square: Square) -> Key:
    """Return the key of a legal en-passant capture on ``square``; zero for none."""
    return _EN_PASSANT[square]
