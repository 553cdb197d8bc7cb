"""The evaluation: an efficiently updatable neural network (Yu Nasu, 2018).

Two perspectives of the board, the mover's and the opponent's, go through one layer of weights into
an *accumulator* each; squared clipped activations of both, concatenated, make the score. A move
changes two to four inputs, so an accumulator is updated from the previous one; that is done only
when a score is needed, since many positions are never evaluated.

Everything is ``int16``: activations are 0 to `ONE`, output weights at most ± 128, so that
their product fits, and one instruction does 32 of them.
"""

import numpy as np

from engine.board.annotations import Colour, Count, Move, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.bitboard import ONE as ONE_BIT
from engine.board.position import POSITION, king_square, occupancy
from engine.board.types import BLACK, KING, MAX_PLY, WHITE
from engine.evaluation.accumulator import (
    add,
    add_add_sub_sub,
    add_sub,
    add_sub_sub,
    copy_previous,
    fill_bias,
    screlu,
)
from engine.evaluation.endgames import can_mate, is_bare_king, is_two_knights_ending, mop_up
from engine.evaluation.evaluation_data import EvaluationData
from engine.evaluation.features import (
    CASTLED,
    MOVED,
    NOTHING_MOVED,
    TOOK,
    changes,
    feature,
    mirror_of,
    perspective_feature,
)
from engine.evaluation.shape import BUCKETS, HIDDEN, NETWORK_FIELDS, ONE, OUTPUT_ONE
from engine.jit.intrinsics import lsb, popcount
from engine.jit.kernel import entry, kernel
from engine.memory.records import Field

MAX_SCORE = 15_000
"""The largest evaluation in centipawns, far below mate scores."""

_PLIES = MAX_PLY + 2
EVALUATION_FIELDS: list[Field] = [
    ("accumulator", np.int16, (_PLIES, 2, HIDDEN)),
    *NETWORK_FIELDS,
    ("changes", np.int64, _PLIES),
    ("accumulator_state", np.int8, (_PLIES, 2)),
]
"""Fields for evaluating the positions of a line: per ply and colour the accumulator and its state,
the `changes` of the move that led to the ply, and a network of its own. Fields that are read as
vectors come first, in whole cache lines."""

_STALE, _READY, _LOST = 0, 1, 2
"""States of an accumulator: to be updated from the previous ply, up to date, to be refreshed."""


@kernel
def push_move(pos: Position, th: EvaluationData, ply: Ply, move: Move) -> None:
    """Record the changes of ``move``, before it is made at ``ply``."""
    us = pos.side
    change = changes(pos, move)
    th.changes[ply + 1] = change
    th.accumulator_state[ply + 1, WHITE] = _STALE
    th.accumulator_state[ply + 1, BLACK] = _STALE
    before, after = change >> 2 & 1023, change >> 12 & 1023
    if before >> 6 == KING + 6 * us and (before ^ after) & 4:
        th.accumulator_state[ply + 1, us] = _LOST


@kernel
def push_null(th: EvaluationData, ply: Ply) -> None:
    """Record a null move at ``ply``, which changes nothing."""
    th.changes[ply + 1] = NOTHING_MOVED
    th.accumulator_state[ply + 1, WHITE] = _STALE
    th.accumulator_state[ply + 1, BLACK] = _STALE


@kernel
def refresh_accumulator(pos: Position, th: EvaluationData, ply: Ply, colour: Colour) -> None:
    """Compute the accumulator of one perspective from the board."""
    mirror = mirror_of(king_square(pos, colour))
    fill_bias(th, ply, colour)
    rest = occupancy(pos)
    while rest != NOTHING:
        square = lsb(rest)
        rest &= rest - ONE_BIT
        row = perspective_feature(feature(np.int64(pos.board[square]), square), colour, mirror)
        add(th, ply, colour, row)
    th.accumulator_state[ply, colour] = _READY


@kernel
def _update_from_previous(th: EvaluationData, ply: Ply, colour: Colour, mirror: Count) -> None:
    """Update the accumulator of ``ply`` from the previous one."""
    change = np.int64(th.changes[ply])
    kind = change & 3
    off = perspective_feature(change >> 2 & 1023, colour, mirror)
    on = perspective_feature(change >> 12 & 1023, colour, mirror)
    if kind == MOVED:
        add_sub(th, ply, colour, on, off)
    elif kind == TOOK:
        add_sub_sub(
            th, ply, colour, on, off, perspective_feature(change >> 22 & 1023, colour, mirror)
        )
    elif kind == CASTLED:
        rook_off = perspective_feature(change >> 22 & 1023, colour, mirror)
        rook_on = perspective_feature(change >> 32 & 1023, colour, mirror)
        add_add_sub_sub(th, ply, colour, on, off, rook_on, rook_off)
    else:
        copy_previous(th, ply, colour)
    th.accumulator_state[ply, colour] = _READY


@kernel
def _update_accumulator(pos: Position, th: EvaluationData, ply: Ply, colour: Colour) -> None:
    last = ply
    while th.accumulator_state[last, colour] == _STALE:
        last -= 1
    if th.accumulator_state[last, colour] == _LOST:
        refresh_accumulator(pos, th, ply, colour)
        return
    mirror = mirror_of(king_square(pos, colour))
    for step in range(last + 1, ply + 1):
        _update_from_previous(th, np.int64(step), colour, mirror)


@kernel
def update_accumulators(pos: Position, th: EvaluationData, ply: Ply) -> None:
    """Bring both accumulators of ``ply`` up to date; `evaluate` does so too."""
    for colour in range(2):
        _update_accumulator(pos, th, ply, colour)


@kernel
def evaluate(pos: Position, th: EvaluationData, ply: Ply) -> Score:
    """Return the static eval in centipawns for the side to move, `MAX_SCORE` at most.

    Call `start` at ply 0 first: the accumulators are updated from there by the moves made since.
    """
    us, them = pos.side, pos.side ^ 1
    if is_bare_king(pos, them) and can_mate(pos, us):
        return mop_up(pos, us)
    if is_bare_king(pos, us) and can_mate(pos, them):
        return -mop_up(pos, them)
    if is_two_knights_ending(pos):
        return np.int64(0)
    update_accumulators(pos, th, ply)
    bucket = (popcount(occupancy(pos)) - 1) * BUCKETS // 32
    total = np.int64(0)
    for place in range(2):
        total += screlu(th, ply, pos.side ^ place, bucket, place)
    output = total // ONE + th.output_bias[bucket]
    return min(max(output * th.scale // (ONE * OUTPUT_ONE), -MAX_SCORE), MAX_SCORE)


EVALUATION = np.dtype(EVALUATION_FIELDS[::-1], align=True)
"""A record to evaluate without searching.

Its fields have another order than a search thread's, or numba would confuse the two types."""


@kernel
def start(pos: Position, th: EvaluationData) -> None:
    """Compute the accumulators of ply 0, the root's, from the board."""
    refresh_accumulator(pos, th, np.int64(0), np.int64(WHITE))
    refresh_accumulator(pos, th, np.int64(0), np.int64(BLACK))


@entry(POSITION, EVALUATION)
def evaluate_from_scratch(pos: Position, record: EvaluationData) -> Score:
    """Return the static eval of ``pos`` in centipawns, whatever ``record`` held before."""
    start(pos, record)
    return evaluate(pos, record, np.int64(0))
