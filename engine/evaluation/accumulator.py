"""The loops over neurons, plain enough for LLVM to vectorise.

They index record fields directly: passing a slice would create an array. When kernels run as
plain Python, `engine.evaluation.accumulator_twins` replaces them.
"""

import numpy as np

from engine.board.annotations import Colour, Count, Ply, Score
from engine.evaluation.evaluation_data import EvaluationData
from engine.evaluation.shape import HIDDEN, ONE
from engine.jit.kernel import COMPILED, kernel

__all__ = (
    "add",
    "add_add_sub_sub",
    "add_sub",
    "add_sub_sub",
    "copy_previous",
    "exchange",
    "fill_bias",
    "screlu",
)

if COMPILED:

    @kernel
    def fill_bias(th: EvaluationData, ply: Ply, perspective: Colour) -> None:
        """Start an accumulator with no input set."""
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] = th.bias[i]

    @kernel
    def add(th: EvaluationData, ply: Ply, perspective: Colour, row: Count) -> None:
        """Set one input."""
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] += th.weights[row, i]

    @kernel
    def exchange(th: EvaluationData, ply: Ply, perspective: Colour, on: Count, off: Count) -> None:
        """Set one input, and clear one."""
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] += th.weights[on, i] - th.weights[off, i]

    @kernel
    def copy_previous(th: EvaluationData, ply: Ply, perspective: Colour) -> None:
        """Copy the accumulator of the previous ply."""
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] = th.accumulator[ply - 1, perspective, i]

    @kernel
    def add_sub(th: EvaluationData, ply: Ply, perspective: Colour, on: Count, off: Count) -> None:
        """Update from the previous ply: one input is set, one is cleared."""
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] = (
                th.accumulator[ply - 1, perspective, i] + th.weights[on, i] - th.weights[off, i]
            )

    @kernel
    def add_sub_sub(
        th: EvaluationData, ply: Ply, perspective: Colour, on: Count, off: Count, taken: Count
    ) -> None:
        """Update from the previous ply: one input is set, two are cleared."""
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] = (
                th.accumulator[ply - 1, perspective, i]
                + th.weights[on, i]
                - th.weights[off, i]
                - th.weights[taken, i]
            )

    @kernel
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
        for i in range(HIDDEN):
            th.accumulator[ply, perspective, i] = (
                th.accumulator[ply - 1, perspective, i]
                + th.weights[on, i]
                - th.weights[off, i]
                + th.weights[rook_on, i]
                - th.weights[rook_off, i]
            )

    @kernel
    def screlu(
        th: EvaluationData, ply: Ply, perspective: Colour, bucket: Count, place: Count
    ) -> Score:
        """Return the contribution of one accumulator to the output.

        In units of 1/(``ONE``² × ``OUTPUT_ONE``). The casts keep every step narrow, so that one
        instruction does many.
        """
        total = np.int32(0)
        for i in range(HIDDEN):
            active = np.int32(
                min(max(th.accumulator[ply, perspective, i], np.int16(0)), np.int16(ONE))
            )
            weighted = np.int32(np.int16(active * th.output[bucket, place, i]))
            total = np.int32(total + np.int32(weighted * active))
        return np.int64(total)

else:
    from engine.evaluation.accumulator_twins import (
        add,
        add_add_sub_sub,
        add_sub,
        add_sub_sub,
        copy_previous,
        exchange,
        fill_bias,
        screlu,
    )
