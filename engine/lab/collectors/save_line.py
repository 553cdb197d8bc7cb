"""A line that the parent resets before each move and saves on improvement.

From a Russian tutorial on fail-hard alpha-beta with iterative deepening: the child's line is
cleared by the parent, before every move that it tries, and not by the child. So a leaf has
nothing to do, and the price is a write for every move.
"""

import numpy as np

from engine.board.annotations import Flag, Move, Ply
from engine.board.types import MAX_PLY
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle
from engine.memory.records import Record


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if ply == 0:  # the root's line has no parent to reset it
        record.saved_length[0] = 0


@kernel
def _reset(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    record.saved_length[ply + 1] = 0


@kernel
def _save(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    record.saved[ply, 0] = move
    length = np.int64(1)
    while length <= record.saved_length[ply + 1] and length < MAX_PLY:
        record.saved[ply, length] = record.saved[ply + 1, length - 1]
        length += 1
    record.saved_length[ply] = length


SAVE_LINE = Collector(
    "save_line",
    (("saved", np.uint16, (MAX_PLY + 1, MAX_PLY)), ("saved_length", np.int64, MAX_PLY + 1)),
    lambda record: tuple(record.saved[0, : record.saved_length[0]].tolist()),
    {"enter": _enter, "before_child": _reset, "improve": _save},
)
