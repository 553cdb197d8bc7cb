"""The loops of `engine.evaluation.accumulator` in numpy: for the interpreter, to which a loop over
neurons would be far too slow."""

import numpy as np

from engine.board.annotations import Colour, Count, Ply, Score
from engine.evaluation.evaluation_data import EvaluationData
from engine.evaluation.shape import ONE


def fill_bias(th: EvaluationData, ply: Ply, perspective: Colour) -> None:
    """Start an accumulator with no input set."""
    th.accumulator[ply, perspective] = th.bias


def add(th: EvaluationData, ply: Ply, perspective: Colour, row: Count) -> None:
    """Set one input."""
    th.accumulator[ply, perspective] += th.weights[row]


def exchange(th: EvaluationData, ply: Ply, perspective: Colour, on: Count, off: Count) -> None:
    """Set one input, and clear one."""
    th.accumulator[ply, perspective] += th.weights[on] - th.weights[off]


def copy_previous(th: EvaluationData, ply: Ply, perspective: Colour) -> None:
    """Copy the accumulator of the previous ply."""
    th.accumulator[ply, perspective] = th.accumulator[ply - 1, perspective]


def add_sub(th: EvaluationData, ply: Ply, perspective: Colour, on: Count, off: Count) -> None:
    """Update from the previous ply: one input is set, one is cleared."""
    copy_previous(th, ply, perspective)
    exchange(th, ply, perspective, on, off)


def add_sub_sub(
    th: EvaluationData, ply: Ply, perspective: Colour, on: Count, off: Count, taken: Count
) -> None:
    """Update from the previous ply: one input is set, two are cleared."""
    add_sub(th, ply, perspective, on, off)
    th.accumulator[ply, perspective] -= th.weights[taken]


def add_add_sub_sub(
    th: EvaluationData,
    ply: Ply,
    perspective: Colour,
    on: Count,
    off: Count,
    rook_on: Count,
    rook_off: Count,
) -> None:
    """Update from the previous ply: two inputs are set, two are cleared."""
    add_sub(th, ply, perspective, on, off)
    th.accumulator[ply, perspective] += th.weights[rook_on] - th.weights[rook_off]


def screlu(th: EvaluationData, ply: Ply, perspective: Colour, bucket: Count, place: Count) -> Score:
    """Return the contribution of one accumulator to the output."""
    active = np.clip(th.accumulator[ply, perspective].astype(np.int64), 0, ONE)
    return np.int64((active * active * th.output[bucket, place]).sum())
