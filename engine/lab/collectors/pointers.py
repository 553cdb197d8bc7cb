"""Rows that are swapped instead of copied: N full rows, and an array of each ply's row.

(Chess Programming Wiki, "Triangular PV-Table", pointer array.) A better child's row becomes
its parent's, and the move is written in front of it: every move stands in the column of its
ply, so there is room. The parent's old row goes to the child, which will clear it.
"""

import numpy as np

from engine.board.annotations import Flag, Move, Ply
from engine.board.types import MAX_PLY
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle, Line
from engine.memory.records import Record


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if is_pv:
        record.row_end[ply] = ply


@kernel
def _improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    row = record.row_of[ply + 1]
    record.row_of[ply + 1] = record.row_of[ply]
    record.row_of[ply] = row
    record.rows[row, ply] = move
    record.row_end[ply] = record.row_end[ply + 1]


def _prepare(record: Record) -> None:
    record.row_of[:] = np.arange(MAX_PLY)


def _line(record: Record) -> Line:
    return tuple(record.rows[record.row_of[0], : record.row_end[0]].tolist())


POINTERS = Collector(
    "pointers",
    (
        ("rows", np.uint16, (MAX_PLY, MAX_PLY)),
        ("row_of", np.int64, MAX_PLY),
        ("row_end", np.int64, MAX_PLY),
    ),
    _line,
    {"enter": _enter, "improve": _improve},
    _prepare,
)
