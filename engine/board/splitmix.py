"""SplitMix64 (Sebastiano Vigna, 2015): random numbers from a counter, the same on every machine."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The counter's increment."""

_FIRST_FACTOR, _SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
T = TypeVar("T", np.uint64, NDArray[np.uint64])

_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)


def splitmix(word: T) -> T:
    """Return the random number for a counter's value, or for an array of them."""
    word = (word ^ word >> _30) * _FIRST_FACTOR
    word = (word ^ word >> _27) * _SECOND_FACTOR
    return word ^ word >> _31
