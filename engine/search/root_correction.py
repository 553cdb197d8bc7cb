"""The correction that a search makes to the static eval of its root; only displays use it.

The kernels are compiled when they are first called, and kept apart from those of play.
"""

import numpy as np

from engine.board.annotations import Flag, Position, Score
from engine.board.position import POSITION
from engine.evaluation import endgames
from engine.jit.kernel import EntryPoints
from engine.search.correction import correction_value
from engine.search.thread import THREAD
from engine.search.thread_data import ThreadData

_ENTRIES = EntryPoints()


@_ENTRIES.entry(POSITION, THREAD)
def root_correction(pos: Position, th: ThreadData) -> Score:
    """Return the correction of ``pos`` in centipawns for the side to move: see `correction_value`.

    The moves before ``pos`` do not count.
    """
    return correction_value(pos, th, np.int64(0))


@_ENTRIES.entry(POSITION)
def evaluated_by_rule(pos: Position) -> Flag:
    """Return whether a rule evaluates ``pos``, and not the network."""
    return endgames.is_evaluated_by_rule(pos)
