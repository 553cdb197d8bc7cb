"""Correction history: how far the static evaluation was off in positions like this one.

Similar positions have the same pawns, or the same other pieces of one colour (Caissa, 2023;
Stockfish's tables), or came about by the same piece's move to the same square, one or two plies
before (Reckless). The tables are updated when a search contradicts the evaluation.
"""

import numpy as np

from engine.board.annotations import Bonus, Colour, Count, Depth, Ply, Position, Score
from engine.board.bitboard import U64
from engine.board.types import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from engine.evaluation.endgames import is_evaluated_by_rule
from engine.jit.kernel import kernel
from engine.memory.records import Field
from engine.search.history import CONTEXTS, conthist_index_at
from engine.search.parameters import parameter
from engine.search.thread_data import ThreadData
from engine.search.tt import LOWER, UPPER

_PAWNS, _NON_PAWNS, _LAST_MOVE, _MOVE_BEFORE = 86, 106, 64, 48
_pawn_weight = parameter("CorrectionPawns", _PAWNS, 0, 160, 10)
_non_pawn_weight = parameter("CorrectionMen", _NON_PAWNS, 0, 160, 10)
_last_move_weight = parameter("CorrectionLastMove", _LAST_MOVE, 0, 160, 10)
_move_before_weight = parameter("CorrectionMoveBefore", _MOVE_BEFORE, 0, 160, 10)

_BITS = 14
_LIMIT = 1024
_UNIT = 64
"""Counters stay within ± `_LIMIT`; times a weight they are in 1/64² centipawns."""

MAX_CORRECTION = -(
    -(_PAWNS + 2 * _NON_PAWNS + _LAST_MOVE + _MOVE_BEFORE) * _LIMIT // (_UNIT * _UNIT)
)
"""The largest correction in centipawns: it is negative, since the sum is rounded down."""

CORRECTION_FIELDS: list[Field] = [
    ("correction", np.int16, (2, 3, 1 << _BITS)),
    ("move_correction", np.int16, (2, CONTEXTS)),
]
"""Fields of a record: for either side to move a table each for the pawns, White's other pieces
and Black's; and one each for the last move and the one before it, by piece and target."""

_SHIFT = U64(64 - _BITS)
_A, _B, _C, _D, _E = (
    U64(0x9E3779B97F4A7C15),
    U64(0xC2B2AE3D27D4EB4F),
    U64(0xD6E8FEB86659FD93),
    U64(0xA0761D6478BD642F),
    U64(0xE7037ED1A0B428DB),
)


@kernel
def _pawns(pos: Position) -> Count:
    """Return the index of the pawns of both sides."""
    pawns = pos.by_type[PAWN]
    return np.int64((pawns * _A ^ (pawns & pos.by_colour[0]) * _B) * _C >> _SHIFT)


@kernel
def _non_pawns(pos: Position, colour: Colour) -> Count:
    """Return the index of the pieces of ``colour`` without its pawns."""
    mine = pos.by_colour[colour]
    mixed = (pos.by_type[KNIGHT] & mine) * _A ^ (pos.by_type[BISHOP] & mine) * _B
    mixed ^= (pos.by_type[ROOK] & mine) * _C ^ (pos.by_type[QUEEN] & mine) * _D
    return np.int64((mixed ^ (pos.by_type[KING] & mine) * _E) * _A >> _SHIFT)


@kernel
def correction_value(pos: Position, th: ThreadData, ply: Ply) -> Score:
    """Return by how much the static evaluation at ``ply`` is likely to be too low, in centipawns.

    0 in a search that is not selective, and where a rule evaluates the position, not the network.
    Call it before evaluating: the tables are large, and their cache misses then overlap with the
    evaluation.
    """
    if th.selective == 0 or th.use_correction == 0 or is_evaluated_by_rule(pos):
        return np.int64(0)
    pawns = np.int64(th.correction[pos.side, 0, _pawns(pos)])
    non_pawns = (
        th.correction[pos.side, 1, _non_pawns(pos, 0)]
        + th.correction[pos.side, 2, _non_pawns(pos, 1)]
    )
    last = np.int64(th.move_correction[0, conthist_index_at(th, ply)])
    before = np.int64(th.move_correction[1, conthist_index_at(th, ply - 1)])
    moves = last * _last_move_weight(th) + before * _move_before_weight(th)
    return (pawns * _pawn_weight(th) + non_pawns * _non_pawn_weight(th) + moves) // (_UNIT * _UNIT)


@kernel
def _updated(value: Count, bonus: Bonus) -> Count:
    """Return ``value`` after ``bonus``, within ± `_LIMIT`."""
    return value + bonus - value * abs(bonus) // _LIMIT


@kernel
def _update(th: ThreadData, side: Colour, table: Count, index: Count, bonus: Bonus) -> None:
    value = np.int64(th.correction[side, table, index])
    th.correction[side, table, index] = _updated(value, bonus)


@kernel
def _update_move(th: ThreadData, ply: Ply, back: Count, bonus: Bonus) -> None:
    """Update the table of the move ``back`` plies before the last, unless it was a null move."""
    context = conthist_index_at(th, ply - back)
    if context != 0:
        value = np.int64(th.move_correction[back, context])
        th.move_correction[back, context] = _updated(value, bonus)


@kernel
def update_correction(
    pos: Position,
    th: ThreadData,
    ply: Ply,
    static_eval: Score,
    score: Score,
    bound: Count,
    depth: Depth,
) -> None:
    """Learn from a quiet result, ``depth`` plies deep, how far ``static_eval`` was off.

    Does nothing in a search that is not selective, whose ``static_eval`` is not corrected.
    """
    if th.selective == 0:
        return
    if (bound == LOWER and score <= static_eval) or (bound == UPPER and score >= static_eval):
        return
    bonus = min(
        max((score - static_eval) * depth // 4, -np.int64(_LIMIT // 4)), np.int64(_LIMIT // 4)
    )
    _update(th, pos.side, 0, _pawns(pos), bonus)
    _update(th, pos.side, 1, _non_pawns(pos, 0), bonus)
    _update(th, pos.side, 2, _non_pawns(pos, 1), bonus)
    _update_move(th, ply, np.int64(0), bonus)
    _update_move(th, ply, np.int64(1), bonus)
