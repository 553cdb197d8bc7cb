"""Zobrist keys (Albert Zobrist, 1970): one random number a feature, joined by exclusive or.

The numbers come from SplitMix64 (Sebastiano Vigna, 2015), so that the same position has
the same key on every machine and under every version of numpy.
"""

from typing import Any

import numpy as np

from engine.board.annotations import Count, Key, Piece, Square
from engine.jit.kernel import kernel

_WORD = (1 << 64) - 1


def _random(count: int, seed: int) -> Any:
    words = []
    for index in range(1, count + 1):
        word = (seed + index * 0x9E3779B97F4A7C15) & _WORD
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD
        words.append(word ^ word >> 31)
    return np.array(words, dtype=np.uint64)


PIECE_KEYS = _random(12 * 64, 1).reshape(12, 64)
"""By piece and square."""
_CASTLING = _random(16, 2)
_EN_PASSANT = _random(64, 3)
_EN_PASSANT[0] = 0
SIDE_KEY = _random(1, 4)[0]
"""Joined to the key when black is to move."""


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
