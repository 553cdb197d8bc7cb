"""The evaluation: an efficiently updatable neural network (Yu Nasu, 2018).

Two perspectives of the board, the mover's and the opponent's, go through one layer of weights into
an *accumulator* each; squared clipped activations of both, concatenated, make the score. A move
changes few inputs, so an accumulator is updated from the previous one; that is done only when a
score is needed or a move is made, since many positions are never evaluated.

Everything is ``int16``: activations are 0 to `ONE`, output weights at most ± 128, so that
their product fits, and one instruction does 32 of them.
"""

import numpy as np

from engine.board.annotations import Bitboard, Colour, Count, Move, Ply, Position, Score
from engine.board.bitboard import NOTHING, bit
from engine.board.bitboard import ONE as ONE_BIT
from engine.board.position import POSITION, king_square, occupancy
from engine.board.types import BISHOP, BLACK, KING, KNIGHT, MAX_PLY, PAWN, QUEEN, ROOK, WHITE
from engine.evaluation.accumulator import (
    add,
    add_add_sub_sub,
    add_sub,
    add_sub_sub,
    copy_previous,
    exchange,
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
    if_threatened,
    mirror_of,
    perspective_feature,
)
from engine.evaluation.shape import BUCKETS, HIDDEN, NETWORK_FIELDS, ONE, OUTPUT_ONE
from engine.evaluation.threatened import threatened_pieces
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
    ("threatened", np.uint64, _PLIES),
    ("accumulator_state", np.int8, (_PLIES, 2)),
]
"""Fields for evaluating the positions of a line: per ply and colour the accumulator and its state,
the `changes` of the move that led to the ply, the threatened pieces, and a network of its own.
Fields that are read as vectors come first, in whole cache lines."""

_STALE, _READY, _LOST = 0, 1, 2
"""States of an accumulator: to be updated from the previous ply, up to date, to be refreshed."""


@kernel
def push_move(pos: Position, th: EvaluationData, ply: Ply, move: Move) -> None:
    """Record the changes of ``move``, before it is made at ``ply``.

    All that follow it are updated from the accumulators of ``ply``.
    """
    update_accumulators(pos, th, ply)
    us = pos.side
    change = changes(pos, move)
    th.changes[ply + 1] = change
    th.accumulator_state[ply + 1, WHITE] = _STALE
    th.accumulator_state[ply + 1, BLACK] = _STALE
    before, after = change >> 2 & 4095, change >> 14 & 4095
    if pos.board[before & 63] == KING + 6 * us and (before ^ after) & 4:
        th.accumulator_state[ply + 1, us] = _LOST


@kernel
def push_null(pos: Position, th: EvaluationData, ply: Ply) -> None:
    """Record a null move at ``ply``, which changes no input."""
    update_accumulators(pos, th, ply)
    th.changes[ply + 1] = NOTHING_MOVED
    th.accumulator_state[ply + 1, WHITE] = _STALE
    th.accumulator_state[ply + 1, BLACK] = _STALE


@kernel
def _find_threatened(pos: Position, th: EvaluationData, ply: Ply) -> None:
    th.threatened[ply] = threatened_pieces(
        pos.by_colour[WHITE],
        pos.by_colour[BLACK],
        pos.by_type[PAWN],
        pos.by_type[KNIGHT],
        pos.by_type[BISHOP],
        pos.by_type[ROOK],
        pos.by_type[QUEEN],
    )


@kernel
def _refresh(pos: Position, th: EvaluationData, ply: Ply, colour: Colour) -> None:
    threatened = th.threatened[ply]
    mirror = mirror_of(king_square(pos, colour))
    fill_bias(th, ply, colour)
    rest = occupancy(pos)
    while rest != NOTHING:
        square = lsb(rest)
        rest &= rest - ONE_BIT
        row = if_threatened(feature(np.int64(pos.board[square]), square), threatened)
        add(th, ply, colour, perspective_feature(row, colour, mirror))
    th.accumulator_state[ply, colour] = _READY


@kernel
def refresh_accumulator(pos: Position, th: EvaluationData, ply: Ply, colour: Colour) -> None:
    """Compute the accumulator of one perspective from the board."""
    _find_threatened(pos, th, ply)
    _refresh(pos, th, ply, colour)


@kernel
def _row(found: Count, threatened: Bitboard, colour: Colour, mirror: Count) -> Count:
    return perspective_feature(if_threatened(found, threatened), colour, mirror)


@kernel
def _update_from_previous(pos: Position, th: EvaluationData, ply: Ply, colour: Colour) -> None:
    """Update the accumulator of ``ply`` from the previous one.

    A move clears and sets up to four inputs, and two more for each other piece that is threatened
    only before or only after it.
    """
    mirror = mirror_of(king_square(pos, colour))
    before, now = th.threatened[ply - 1], th.threatened[ply]
    change = np.int64(th.changes[ply])
    kind = change & 3
    left, entered = change >> 2 & 4095, change >> 14 & 4095
    also_left, also_entered = change >> 26 & 4095, change >> 38 & 4095
    off, on = _row(left, before, colour, mirror), _row(entered, now, colour, mirror)
    also_off = _row(also_left, before, colour, mirror)
    rest = (before ^ now) & ~(bit(left & 63) | bit(entered & 63))
    if kind == MOVED and rest == NOTHING:
        add_sub(th, ply, colour, on, off)
    elif kind == MOVED:  # in one pass with the first of the rest
        square = lsb(rest)
        rest &= rest - ONE_BIT
        found = feature(np.int64(pos.board[square]), square)
        also_off = _row(found, before, colour, mirror)
        also_on = _row(found, now, colour, mirror)
        add_add_sub_sub(th, ply, colour, on, off, also_on, also_off)
    elif kind == TOOK:
        add_sub_sub(th, ply, colour, on, off, also_off)
        rest &= ~bit(also_left & 63)
    elif kind == CASTLED:
        also_on = _row(also_entered, now, colour, mirror)
        add_add_sub_sub(th, ply, colour, on, off, also_on, also_off)
        rest &= ~(bit(also_left & 63) | bit(also_entered & 63))
    else:
        copy_previous(th, ply, colour)
    while rest != NOTHING:
        square = lsb(rest)
        rest &= rest - ONE_BIT
        found = feature(np.int64(pos.board[square]), square)
        off, on = _row(found, before, colour, mirror), _row(found, now, colour, mirror)
        exchange(th, ply, colour, on, off)
    th.accumulator_state[ply, colour] = _READY


@kernel
def update_accumulators(pos: Position, th: EvaluationData, ply: Ply) -> None:
    """Bring both accumulators of ``ply`` up to date; `evaluate` does so too."""
    if th.accumulator_state[ply, WHITE] == _READY and th.accumulator_state[ply, BLACK] == _READY:
        return
    _find_threatened(pos, th, ply)
    for colour in range(2):
        if th.accumulator_state[ply, colour] == _LOST:
            _refresh(pos, th, ply, colour)
        elif th.accumulator_state[ply, colour] == _STALE:
            _update_from_previous(pos, th, ply, colour)


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
    root = np.int64(0)
    _find_threatened(pos, th, root)
    _refresh(pos, th, root, np.int64(WHITE))
    _refresh(pos, th, root, np.int64(BLACK))


@entry(POSITION, EVALUATION)
def evaluate_from_scratch(pos: Position, record: EvaluationData) -> Score:
    """Return the static eval of ``pos`` in centipawns, whatever ``record`` held before."""
    start(pos, record)
    return evaluate(pos, record, np.int64(0))
