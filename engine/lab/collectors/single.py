"""One array for the only line (Daniel Shawul; explained by Harm Geert Muller, 2013).

In a stable principal variation search a move that beats the zero window is always confirmed
by its re-search. What that writes becomes a part of the line, or a still better move
overwrites it: no node has to keep a line of its own. Where scores depend on more than the
position, depth and window (a transposition table, aspiration, selectivity), a re-search may
contradict the zero window, and then the array holds the tail of a rejected line.
"""

import numpy as np

from engine.board.annotations import Flag, Move, Ply
from engine.board.types import MAX_PLY, NO_MOVE
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle, Line
from engine.memory.records import Record


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if is_pv:
        record.only_line[ply] = NO_MOVE


@kernel
def _improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    record.only_line[ply] = move


def _line(record: Record) -> Line:
    row = record.only_line.tolist()
    return tuple(row[: row.index(NO_MOVE)])


SINGLE = Collector(
    "single",
    (("only_line", np.uint16, MAX_PLY + 1),),
    _line,
    {"enter": _enter, "improve": _improve},
)
