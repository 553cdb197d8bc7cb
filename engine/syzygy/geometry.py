"""The numbers that Syzygy tables give to squares, pairs of kings and groups of equal pieces.

The format is Ronald de Man's (2013); its generator is the source of all numberings here. This
module imports no compiler: the files are read before the kernels are loaded.
"""

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_PIECES = 7
"""The most pieces of any table, kings included."""


def _off_diagonal(square: int) -> int:
    """Return how far ``square`` is above the diagonal a1-h8; negative below it."""
    return square // 8 - square % 8


def _table(values: Any) -> NDArray[np.int64]:
    return np.array(values, np.int64)


OFF_DIAGONAL = _table(list(map(_off_diagonal, range(64))))
"""How far a square is above the diagonal a1-h8; negative below it."""


_TRIANGLE_SQUARES = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27]
"""The squares of the triangle a1-d1-d4 in order: those below the diagonal come first."""


def _symmetries(square: int) -> list[int]:
    """Return the images of ``square`` under the board's eight symmetries."""
    images = [square ^ flip for flip in (0, 7, 56, 63)]
    return images + [image >> 3 | (image & 7) << 3 for image in images]


IMAGES = _table([_symmetries(square) for square in range(64)]).T.copy()
"""``IMAGES[symmetry, square]``: bit 0 of a symmetry flips files, bit 1 ranks, bit 2 then changes
files for ranks."""


def _triangle(square: int) -> int:
    (image,) = set(_symmetries(square)) & set(_TRIANGLE_SQUARES)
    return _TRIANGLE_SQUARES.index(image)


TRIANGLE = _table(list(map(_triangle, range(64))))
"""The number, from 0 to 9, of the square of the triangle to which a square is equivalent."""


def _below_diagonal() -> list[int]:
    """Number the 28 squares below the diagonal by rank, their mirror images alike, then the 8 on
    the diagonal."""
    below = [square for square in range(64) if _off_diagonal(square) < 0]
    numbers = [0] * 64
    for number, square in enumerate(below):
        numbers[square] = numbers[square >> 3 | (square & 7) << 3] = number
    for number in range(8):
        numbers[9 * number] = 28 + number
    return numbers


LOWER = _table(_below_diagonal())
"""The number of a square, or of its mirror image, below the diagonal; from 28 for those on it."""

DIAGONAL = _table([square % 8 if square % 9 == 0 else 8 + square // 8 if square % 7 == 0 else 0
                   for square in range(64)])  # fmt: skip
"""The number of a square of the diagonal a1-h8."""


def _king_pairs() -> list[list[int]]:
    """Number the 462 pairs of kings: the first in the triangle, the second not adjacent, nor above
    the diagonal if the first is on it. Pairs with both on the diagonal come last."""
    pairs = [[-1] * 64 for _ in _TRIANGLE_SQUARES]
    number, last = 0, []
    for row, first in enumerate(_TRIANGLE_SQUARES):
        for second in range(64):
            files, ranks = abs(first % 8 - second % 8), abs(first // 8 - second // 8)
            if max(files, ranks) < 2:
                continue
            if _off_diagonal(first) == 0 and _off_diagonal(second) >= 0:
                if _off_diagonal(second) == 0:
                    last.append((row, second))
                continue
            pairs[row][second] = number
            number += 1
    for row, second in last:
        pairs[row][second] = number
        number += 1
    return pairs


KINGS = _table(_king_pairs())
"""The number of a pair of kings, by the first one's place in the triangle and the second's square;
-1 for a pair that never occurs."""

BINOMIALS = np.array([[comb(n, k) for n in range(64)] for k in range(MAX_PIECES)], np.int64)
"""``BINOMIALS[k, n]``: in how many ways ``k`` of ``n`` squares can be chosen."""


def _by_file(square: int) -> tuple[int, int]:
    """Return the file of ``square``, counted from the nearer edge, and its rank from 0."""
    return min(square % 8, 7 - square % 8), square // 8


PAWN_ORDER = _table([6 * file + rank - 1 if 0 < rank < 7 else 0
                     for file, rank in map(_by_file, range(64))])  # fmt: skip
"""The order of the squares of pawns by file, from the edge, then by rank: the least one leads."""

PAWN_TWIST = _table([47 - 12 * file - 2 * (rank - 1) - (square % 8 > 3) if 0 < rank < 7 else 0
                     for square, (file, rank) in enumerate(map(_by_file, range(64)))])  # fmt: skip
"""How many squares of pawns come after one, if it leads."""


def _leading_pawns() -> tuple[NDArray[np.int64], list[list[int]]]:
    starts, totals = np.zeros((MAX_PIECES, 24), np.int64), []
    for followers in range(MAX_PIECES):
        row = []
        for file in range(4):
            total = 0
            for rank in range(6):
                place = 6 * file + rank
                starts[followers, place] = total
                total += comb(int(PAWN_TWIST[8 * (rank + 1) + file]), followers)
            row.append(total)
        totals.append(row)
    return starts, totals


PAWN_STARTS, PAWN_TOTALS = _leading_pawns()
"""By the number of leading pawns less one: the number of the first placement in which a square's
pawn leads, by `PAWN_ORDER`, and how many placements there are, by file."""

THREE_PIECES, TWO_KINGS = 31332, 462
"""The placements of three unlike pieces, and of two kings, up to symmetry."""
