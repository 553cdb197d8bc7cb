"""From the squares of the pieces to the number of the position in its table.

The leading pieces are moved to a standard place by the board's symmetries; their squares, and those
of each group of equal pieces after them, have a number; the sum of these, each with its group's
weight, is the position's. See `engine.syzygy.geometry` for the numberings.
"""

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Count
from engine.jit.kernel import kernel
from engine.syzygy.geometry import (
    BINOMIALS,
    DIAGONAL,
    IMAGES,
    KINGS,
    LOWER,
    OFF_DIAGONAL,
    PAWN_ORDER,
    PAWN_STARTS,
    PAWN_TWIST,
    TRIANGLE,
)
from engine.syzygy.table_records import Cache, Side, WdlTable

_Squares = NDArray[np.int64]

_NEAR_DIAGONAL = 6 * 63 * 62
_ON_DIAGONAL = _NEAR_DIAGONAL + 4 * 28 * 62
_ALL_ON_DIAGONAL = _ON_DIAGONAL + 4 * 7 * 28
"""Lowest numbers of three unlike pieces with the first, the first two, or all on the diagonal."""


@kernel
def _symmetry(squares: _Squares, leading: Count) -> Count:
    """Return the symmetry, of `IMAGES`, that moves the first piece to the triangle a1-d1-d4, and
    the first of the ``leading`` pieces that is then not on the diagonal below it."""
    symmetry: Count = (squares[0] >> 2 & 1) + (squares[0] >> 4 & 2)
    place = np.int64(0)
    while place < leading - 1 and OFF_DIAGONAL[IMAGES[symmetry, squares[place]]] == 0:
        place += 1
    if OFF_DIAGONAL[IMAGES[symmetry, squares[place]]] > 0:
        symmetry += 4
    return symmetry


@kernel
def _three_pieces(squares: _Squares) -> Count:
    """Return the number of the first three squares."""
    first, second, third = squares[0], squares[1], squares[2]
    i = np.int64(second > first)
    j = np.int64(third > first) + np.int64(third > second)
    if OFF_DIAGONAL[first] != 0:
        return np.int64((TRIANGLE[first] * 63 + second - i) * 62 + third - j)
    if OFF_DIAGONAL[second] != 0:
        return np.int64(_NEAR_DIAGONAL + (DIAGONAL[first] * 28 + LOWER[second]) * 62 + third - j)
    pair = DIAGONAL[first] * 7 + DIAGONAL[second] - i
    if OFF_DIAGONAL[third] != 0:
        return np.int64(_ON_DIAGONAL + pair * 28 + LOWER[third])
    return np.int64(_ALL_ON_DIAGONAL + pair * 6 + DIAGONAL[third] - j)


@kernel
def _combination(cache: Cache, first: Count, end: Count) -> Count:
    """Return the number of the combination of the different ``places[first:end]``, in any order."""
    number = np.int64(0)
    for each in range(first, end):
        chosen = np.int64(1)
        for other in range(first, end):
            chosen += np.int64(cache.places[other] < cache.places[each])
        number += BINOMIALS[chosen, cache.places[each]]
    return number


@kernel
def leading_file(table: WdlTable, squares: _Squares) -> Count:
    """Move the pawn that is first in `PAWN_ORDER` to the front of the ``table.leading`` pawns.

    Return the distance of its file from the nearer edge, 0 to 3.
    """
    for place in range(1, table.leading):
        if PAWN_ORDER[squares[place]] < PAWN_ORDER[squares[0]]:
            squares[0], squares[place] = squares[place], squares[0]
    file: Count = squares[0] & 7
    return min(file, 7 - file)


@kernel
def position_number(table: WdlTable, side: Side, cache: Cache) -> Count:
    """Return the number of the position in a part of its table.

    ``cache.squares`` are those of the part's pieces, in its order. They are moved, and
    ``cache.places`` overwritten.
    """
    leading = table.leading
    symmetry = cache.squares[0] >> 2 & 1 if leading > 0 else _symmetry(cache.squares, table.unlike)
    for each in range(table.pieces):
        cache.squares[each] = IMAGES[symmetry, cache.squares[each]]
    if leading > 0:
        for each in range(1, leading):
            cache.places[each] = PAWN_TWIST[cache.squares[each]]
        number = PAWN_STARTS[leading - 1, PAWN_ORDER[cache.squares[0]]]
        number += _combination(cache, np.int64(1), leading)
    elif table.unlike == 3:
        leading, number = table.unlike, np.int64(_three_pieces(cache.squares))
    else:
        leading, number = table.unlike, KINGS[TRIANGLE[cache.squares[0]], cache.squares[1]]
    number *= side.factors[0]
    first = leading
    while first < table.pieces:
        end = first + side.groups[first]
        # Pawns are never on the first rank.
        unused = np.int64(8 if first == table.leading and table.following > 0 else 0)
        number += _group(cache, first, end, unused) * side.factors[first]
        first = end
    return np.int64(number)


@kernel
def _group(cache: Cache, first: Count, end: Count, unused: Count) -> Count:
    """Return the number of the squares of equal pieces, among those free of the pieces before."""
    for each in range(first, end):
        cache.places[each] = cache.squares[each] - unused
        for before in range(first):
            cache.places[each] -= np.int64(cache.squares[each] > cache.squares[before])
    return _combination(cache, first, end)
