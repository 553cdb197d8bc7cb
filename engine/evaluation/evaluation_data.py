"""The fields of a thread's record that the evaluation uses, for readers and for mypy."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol

    import numpy as np
    from numpy.typing import NDArray

    from engine.board.annotations import Count

    class EvaluationData(Protocol):
        """A record with `engine.evaluation.nnue.EVALUATION_FIELDS`."""

        accumulator: NDArray[np.int16]
        weights: NDArray[np.int16]
        output: NDArray[np.int16]
        bias: NDArray[np.int16]
        output_bias: NDArray[np.int32]
        scale: Count
        changes: NDArray[np.int64]
        threatened: NDArray[np.uint64]
        accumulator_state: NDArray[np.int8]

else:
    EvaluationData = Any
