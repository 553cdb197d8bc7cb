"""The fields of a search thread's record, for readers and for mypy."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

Entry: TypeAlias = np.uint64
"""The data of an entry of the transposition table, 0 for none: see `engine.search.tt`."""

if TYPE_CHECKING:
    from typing import Protocol

    from numpy.typing import NDArray

    from engine.board.annotations import Count, Move, Score
    from engine.evaluation.evaluation_data import EvaluationData

    class Picker(Protocol):
        """A record of `engine.search.thread.PICKER`."""

        pv_move: Move
        tt_move: Move
        stage: Count
        next: Count
        end: Count
        bad_end: Count

    class ThreadData(EvaluationData, Protocol):
        """A record of `engine.search.thread.THREAD`."""

        stop: Count
        nodes: Count
        node_limit: Count
        seldepth: Count
        root_depth: Count
        root_ready: Count
        root_eval: Score
        failed_high: Count
        selective: Count
        proving: Count
        use_correction: Count
        draw_score: NDArray[np.int64]
        signal: Count
        table: Count
        clusters: np.uint64
        age: Count
        pv: NDArray[np.uint16]
        pv_length: NDArray[np.int64]
        pv_main: NDArray[np.int64]
        pv_leaf: NDArray[np.int64]
        previous_pv: NDArray[np.uint16]
        previous_length: Count
        static_eval: NDArray[np.int64]
        excluded: NDArray[np.int64]
        double_extensions: NDArray[np.int64]
        reduction: NDArray[np.int64]
        tt_pv: NDArray[np.int64]
        cutoffs: NDArray[np.int64]
        picker: NDArray[Any]
        scores: NDArray[np.int32]
        killers: NDArray[np.uint16]
        tried: NDArray[np.uint16]
        conthist_index: NDArray[np.int64]
        threats: NDArray[np.uint64]
        history: NDArray[np.int16]
        capture: NDArray[np.int16]
        continuation: NDArray[np.int16]
        correction: NDArray[np.int16]
        move_correction: NDArray[np.int16]
        parameters: NDArray[np.int64]
        tb_probe: Count
        tb_tables: Count
        tb_cache: Count
        tb_pieces: Count
        tb_depth: Count
        tb_fifty: Count
        tb_hits: Count
        tb_values: NDArray[np.int64]

else:
    Picker = ThreadData = Any
