"""Endgames against a lone king that are evaluated by rule, since the network does not learn them.

Mop-up evaluation: without pawns, the lone king is driven to the edge, with bishop and knight to a
corner of the bishop's colour, and the other king approaches (as in Tord Romstad's Glaurung). Two
knights cannot force mate: they are a draw, unless the search finds a mate after a blunder.
"""

import numpy as np

from engine.board.annotations import Colour, Count, Flag, Position, Score
from engine.board.bitboard import LIGHT_SQUARES, NOTHING, more_than_one
from engine.board.position import king_square, occupancy, pieces
from engine.board.types import BISHOP, BLACK, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from engine.jit.intrinsics import popcount
from engine.jit.kernel import kernel

_MOP_UP_SCORE = 1000
_EDGE, _CORNER, _NEAR = 30, 60, 20


@kernel
def is_bare_king(pos: Position, colour: Colour) -> Flag:
    """Return whether ``colour`` has nothing but its king."""
    return not more_than_one(pos.by_colour[colour])


@kernel
def can_mate(pos: Position, colour: Colour) -> Flag:
    """Return whether ``colour``, without pawns, can force a lone king into mate."""
    if pos.by_type[PAWN] != NOTHING:
        return False
    if pos.by_type[QUEEN] | pos.by_type[ROOK] != NOTHING:
        return True
    bishops = pieces(pos, colour, BISHOP)
    pair = bishops & LIGHT_SQUARES != NOTHING and bishops & ~LIGHT_SQUARES != NOTHING
    return pair or (bishops != NOTHING and pos.by_type[KNIGHT] != NOTHING)


@kernel
def is_two_knights_ending(pos: Position) -> Flag:
    """Return whether one side has a king and two knights, and the other only its king."""
    return (
        popcount(occupancy(pos)) == 4
        and popcount(pos.by_type[KNIGHT]) == 2
        and (is_bare_king(pos, WHITE) or is_bare_king(pos, BLACK))
    )


@kernel
def is_evaluated_by_rule(pos: Position) -> Flag:
    """Return whether a rule evaluates the position, and not the network."""
    return (
        (is_bare_king(pos, BLACK) and can_mate(pos, WHITE))
        or (is_bare_king(pos, WHITE) and can_mate(pos, BLACK))
        or is_two_knights_ending(pos)
    )


@kernel
def _distance(one: np.int64, other: np.int64) -> Count:
    """Return how many moves a king needs from one square to the other."""
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@kernel
def mop_up(pos: Position, winner: Colour) -> Score:
    """Return the score in centipawns for ``winner``: it grows on the way to the mate."""
    king, prey = king_square(pos, winner), king_square(pos, winner ^ 1)
    score = (
        np.int64(_MOP_UP_SCORE)
        + 900 * popcount(pos.by_type[QUEEN])
        + 500 * popcount(pos.by_type[ROOK])
    )
    score += 300 * popcount(pos.by_type[BISHOP] | pos.by_type[KNIGHT])
    score -= _NEAR * _distance(king, prey)
    bishops = pos.by_type[BISHOP]
    if pos.by_type[QUEEN] | pos.by_type[ROOK] == NOTHING and not more_than_one(bishops):
        file = prey & 7 if bishops & LIGHT_SQUARES == NOTHING else 7 - (prey & 7)
        return score - _CORNER * (7 - abs(7 - file - (prey >> 3)))
    from_edge = min(prey & 7, 7 - (prey & 7)) + min(prey >> 3, 7 - (prey >> 3))
    return score - _EDGE * from_edge
