"""Forward and backward passes of the network, sample by sample.

A position sets at most 32 of the 1,536 inputs, so a kernel that adds rows is faster than a
multiplication by a sparse matrix. Each thread sums its own gradients.
"""

import math
from typing import Any

import numba
import numpy as np

from engine.board.annotations import Count
from engine.board.bitboard import NOTHING, bit
from engine.board.bitboard import ONE as ONE_BIT
from engine.board.types import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from engine.evaluation.features import feature, if_threatened, mirror_of, perspective_feature
from engine.evaluation.shape import BUCKETS, HIDDEN
from engine.evaluation.threatened import threatened_pieces
from engine.jit.intrinsics import lsb, popcount
from engine.jit.kernel import kernel
from scripts.training.model import CLIP
from scripts.training.positions import UNKNOWN

DECAY = 0.01
"""Weight decay: the share of a weight that is lost per step and unit of the learning rate."""

_fast = numba.njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})


@kernel
def inputs_of(sample: Any, rows: Any) -> Any:
    """Write the rows of both perspectives into ``rows`` (2, 32), the mover's first; return how
    many."""
    count = np.int64(0)
    squares = sample.occupied
    mine: Count = np.int64(0)
    theirs: Count = np.int64(0)
    pawns, knights, bishops = NOTHING, NOTHING, NOTHING
    rooks, queens, own = NOTHING, NOTHING, NOTHING
    while squares != NOTHING:
        square = lsb(squares)
        squares &= squares - ONE_BIT
        piece = np.int64(sample.pieces[count >> 1] >> (count & 1) * 4) & 15
        rows[0, count] = feature(piece, square)
        if piece < 6:
            own |= bit(square)
        kind = piece % 6
        if kind == PAWN:
            pawns |= bit(square)
        elif kind == KNIGHT:
            knights |= bit(square)
        elif kind == BISHOP:
            bishops |= bit(square)
        elif kind == ROOK:
            rooks |= bit(square)
        elif kind == QUEEN:
            queens |= bit(square)
        elif piece == KING:
            mine = square
        else:
            theirs = square
        count += 1
    others = sample.occupied & ~own
    threatened = threatened_pieces(own, others, pawns, knights, bishops, rooks, queens)
    mine, theirs = mirror_of(mine), mirror_of(theirs)
    for i in range(count):
        white = if_threatened(np.int64(rows[0, i]), threatened)
        rows[0, i] = perspective_feature(white, WHITE, mine)
        rows[1, i] = perspective_feature(white, BLACK, theirs)
    return count


@_fast
def _logistic(x: Any) -> Any:
    return np.float32(1.0) / (np.float32(1.0) + np.float32(math.exp(-x)))


@_fast
def forward(
    sample: Any, weights: Any, bias: Any, output: Any, output_bias: Any, rows: Any, hidden: Any
) -> Any:
    """Return the output for ``sample``; stores its ``rows``, and the sums in ``hidden`` (2,
    HIDDEN)."""
    count = inputs_of(sample, rows)
    bucket = (count - 1) * BUCKETS // 32
    out = output_bias[bucket]
    for view in range(2):
        for i in range(HIDDEN):
            hidden[view, i] = bias[i]
        for k in range(count):
            row = rows[view, k]
            for i in range(HIDDEN):
                hidden[view, i] += weights[row, i]
        total = np.float32(0)
        for i in range(HIDDEN):
            active = min(max(hidden[view, i], np.float32(0)), np.float32(1))
            total += active * active * output[bucket, view, i]
        out += total
    return out


@_fast
def backward(
    samples: Any,
    order: Any,
    wdl: Any,
    weights: Any,
    bias: Any,
    output: Any,
    output_bias: Any,
    d_weights: Any,
    d_bias: Any,
    d_output: Any,
    d_output_bias: Any,
) -> Any:
    """Add the gradients of the summed loss over ``samples[order]``, and return that loss.

    The loss of a sample is the squared difference between the network's expected score and the
    target. The target blends the game's result (share ``wdl``, if the result is known) and
    ``expected``.
    """
    rows = np.empty((2, 32), np.int64)
    hidden = np.empty((2, HIDDEN), np.float32)
    loss = 0.0
    for k in range(len(order)):
        sample = samples[order[k]]
        out = forward(sample, weights, bias, output, output_bias, rows, hidden)
        expected = _logistic(out)
        points = np.float32(sample.result) * np.float32(0.5)
        share = np.float32(0) if sample.result >= UNKNOWN else wdl
        target = share * points + (np.float32(1) - share) * sample.expected
        error = expected - target
        loss += error * error
        d_out = np.float32(2) * error * expected * (np.float32(1) - expected)
        count = popcount(sample.occupied)
        bucket = (count - 1) * BUCKETS // 32
        d_output_bias[bucket] += d_out
        for view in range(2):
            for i in range(HIDDEN):
                value = hidden[view, i]
                active = min(max(value, np.float32(0)), np.float32(1))
                inside = np.float32(1) if np.float32(0) < value < np.float32(1) else np.float32(0)
                d_hidden = d_out * output[bucket, view, i] * np.float32(2) * active * inside
                d_output[bucket, view, i] += d_out * active * active
                hidden[view, i] = d_hidden
                d_bias[i] += d_hidden
            for j in range(count):
                row = rows[view, j]
                for i in range(HIDDEN):
                    d_weights[row, i] += hidden[view, i]
    return loss


@_fast
def outputs(
    samples: Any, weights: Any, bias: Any, output: Any, output_bias: Any, result: Any
) -> None:
    """Write the network's output for every sample into ``result`` (``float32``)."""
    rows = np.empty((2, 32), np.int64)
    hidden = np.empty((2, HIDDEN), np.float32)
    for k in range(len(samples)):
        result[k] = forward(samples[k], weights, bias, output, output_bias, rows, hidden)


@_fast
def adamw(
    values: Any, gradients: Any, first: Any, second: Any, count: Any, rate: Any, number: Any
) -> None:
    """Update ``values`` by step ``number`` (from 1) of AdamW (Ilya Loshchilov, Frank Hutter, 2019).

    ``gradients`` (threads, values) are sums over ``count`` samples, and zeroed; ``first`` and
    ``second`` are the moments. Values are clamped to ± `CLIP`.
    """
    share = np.float32(1) / np.float32(count)
    young = np.float32(1.0 - 0.9**number)
    old = np.float32(1.0 - 0.999**number)
    for i in range(len(values)):
        gradient = np.float32(0)
        for thread in range(len(gradients)):
            gradient += gradients[thread, i]
            gradients[thread, i] = np.float32(0)
        gradient *= share
        first[i] += np.float32(0.1) * (gradient - first[i])
        second[i] += np.float32(0.001) * (gradient * gradient - second[i])
        direction = first[i] / young / (np.float32(math.sqrt(second[i] / old)) + np.float32(1e-8))
        value = values[i] - rate * (direction + np.float32(DECAY) * values[i])
        values[i] = min(max(value, np.float32(-CLIP)), np.float32(CLIP))
