"""The triangular PV table: the best line of every ply, in one dense array.

Row ``ply`` starts at ``row_start(ply)`` and holds at most ``MAX_PLY - ply`` moves, because a
line cannot go deeper than the table: so N rows need N(N + 1)/2 moves. A node clears
its row before anything else; a move that raises alpha is written there, followed by the
child's row (Chess Programming Wiki, "Triangular PV-Table").

Each row also has the value that the search found for its last position, and the number of its
moves that the main search made. So a printed score can be traced to the end of its line.
"""

from typing import NamedTuple

import numpy as np

from engine.board.annotations import Count, Flag, Move, Ply, Score
from engine.board.types import MAX_PLY
from engine.jit.kernel import kernel
from engine.memory.records import Field
from engine.search.thread_data import ThreadData

PV_SIZE = MAX_PLY * (MAX_PLY + 1) // 2
PV_FIELDS: list[Field] = [
    ("pv", np.uint16, PV_SIZE),
    ("pv_length", np.int64, MAX_PLY),
    ("pv_main", np.int64, MAX_PLY),
    ("pv_leaf", np.int64, MAX_PLY),
]
"""The fields of a record that form the table. Each row has the number of its moves that the main
search made, and the value of the position at its end, for the side to move at its start."""


class Ending(NamedTuple):
    """How a line ends: the search's own ``value`` there (centipawns or a mate score, for the side
    to move at the root), and the ``main_plies`` before quiescence search took over."""

    value: int
    main_plies: int


_ROW_START = np.array([ply * (2 * MAX_PLY + 1 - ply) // 2 for ply in range(MAX_PLY)])


@kernel
def row_start(ply: Ply) -> Count:
    """Return the index of the first move of row ``ply``."""
    return _ROW_START[ply]


@kernel
def clear_row(record: ThreadData, ply: Ply) -> None:
    """Clear the line of ``ply``."""
    record.pv_length[ply] = 0
    record.pv_main[ply] = 0


@kernel
def end_row(record: ThreadData, ply: Ply, is_pv: Flag, value: Score) -> Score:
    """Return ``value``, and in a PV node store it as the value at the end of the line."""
    if is_pv:
        record.pv_leaf[ply] = value
    return value


@kernel
def mark_horizon(record: ThreadData, ply: Ply) -> None:
    """Mark all moves in the row of ``ply`` as those of quiescence search."""
    record.pv_main[ply] = 0


@kernel
def update_row(record: ThreadData, ply: Ply, move: Move) -> None:
    """Make ``move``, followed by the child's line, the line of ``ply``."""
    start, child = row_start(ply), row_start(ply + 1)
    length = record.pv_length[ply + 1]
    record.pv[start] = move
    for index in range(length):
        record.pv[start + 1 + index] = record.pv[child + index]
    record.pv_length[ply] = length + 1
    record.pv_main[ply] = record.pv_main[ply + 1] + 1
    record.pv_leaf[ply] = -record.pv_leaf[ply + 1]


def line(record: ThreadData) -> tuple[int, ...]:
    """Return the line of the root as 16-bit moves; only while no kernel writes the record."""
    return tuple(int(move) for move in record.pv[: record.pv_length[0]])


def ending(record: ThreadData) -> Ending:
    """Return how the line of the root ends; only while no kernel writes the record."""
    return Ending(int(record.pv_leaf[0]), int(record.pv_main[0]))
