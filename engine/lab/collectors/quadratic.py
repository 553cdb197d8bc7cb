"""The quadratic table: N rows of N moves, the best moves on the diagonal.

As in TSCP (Tom Kerrigan, 1997): ``length[ply]`` is the ply at which the line of ``ply`` ends,
and that line begins in column ``ply``. Half of the table stays empty; in return every move
stands in the column of its ply, and the start of a row need not be looked up.
"""

import numpy as np

from engine.board.annotations import Flag, Move, Ply
from engine.board.types import MAX_PLY
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle
from engine.memory.records import Record


@kernel
def enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    """Clear the line, in every node as in TSCP."""
    record.square_length[ply] = ply


@kernel
def improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    """Write ``move`` on the diagonal and copy the rest from the row below."""
    end = record.square_length[ply + 1]
    record.square[ply, ply] = move
    for column in range(ply + 1, end):
        record.square[ply, column] = record.square[ply + 1, column]
    record.square_length[ply] = end


QUADRATIC = Collector(
    "quadratic",
    (("square", np.uint16, (MAX_PLY, MAX_PLY)), ("square_length", np.int64, MAX_PLY)),
    lambda record: tuple(record.square[0, : record.square_length[0]].tolist()),
    {"enter": enter, "improve": improve},
)
