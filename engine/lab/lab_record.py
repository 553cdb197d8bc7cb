"""The fields of a plain search's record, without those of the collectors."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from engine.board.types import MAX_PLY
from engine.evaluation.nnue import EVALUATION_FIELDS
from engine.memory.records import Field
from engine.search.history import HISTORY_FIELDS
from engine.search.thread import PLIES, THREAD
from engine.search.tt import TABLE_FIELDS

NOTHING_FIRST, PV_FIRST, TREE_FIRST = 0, 1, 3
"""Seeds, what an iteration tries first: no move in particular, the line of the iteration
before, the best move of every node of the whole tree. Another one is a line for each root
move, `engine.lab.collectors.refutation.REFUTATIONS_FIRST`."""

STORE, ORDER, CUT = range(3)
"""Uses of the table: it is only filled; it orders moves; it also cuts off, in PV nodes too."""

_SHARED = (
    *("stop", "nodes", "node_limit", "root_depth", "signal", *(name for name, _ in TABLE_FIELDS)),
    *("picker", "scores", *(name for name, *_ in HISTORY_FIELDS)),
)
FIELDS: list[Field] = [
    *EVALUATION_FIELDS,
    *((name, THREAD.fields[name][0]) for name in _SHARED if THREAD.fields),
    ("use", np.int64),
    ("protect", np.int64),
    ("overwritten", np.int64),
    ("selective", np.int64),
    ("guess", np.int64),
    ("seed", np.int64),
    ("hint", np.uint16, MAX_PLY),
    ("hint_length", np.int64),
    ("path", np.uint64, PLIES),
]
"""The thread's fields that move picker and table need, and the experiment's settings.

``protect`` keeps bounds from overwriting exact entries of the table, and ``overwritten`` counts
the exact entries that were overwritten. ``selective`` reduces late moves by a ply. ``guess`` is
the first guess of MTD(f), ``hint`` the line to try first, ``path`` a key of the moves that led
to each ply.
"""

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.board.annotations import Count, Words
    from engine.search.thread_data import ThreadData

    class LabData(ThreadData, Protocol):
        """A record of `engine.lab.registry.RECORD`: a thread's fields above, and these."""

        use: Count
        protect: Count
        overwritten: Count
        selective: Count
        guess: np.int64
        seed: Count
        hint: Words
        hint_length: Count
        path: NDArray[np.uint64]

else:
    LabData = Any
