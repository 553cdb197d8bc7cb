"""The variants of the triangular table in the literature: how a row is found and copied.

Row ``ply`` starts at ``ply (2 N + 1 - ply) / 2`` (Chess Programming Wiki, "Triangular
PV-Table"). The engine looks that up; here it is also computed each time, and passed down
the tree as a running sum, ``index(ply + 1) = index(ply) + N - ply``. A row ends where
its length says, or, without lengths, with a null move.
"""

import numpy as np

from engine.board.annotations import Count, Flag, Move, Ply
from engine.board.types import MAX_PLY, NO_MOVE
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle, Line
from engine.memory.records import Record
from engine.search.triangular import PV_FIELDS, PV_SIZE, clear_row, line, row_start, update_row


@kernel
def enter_pv(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    """Clear the row of a PV node; rows of other nodes are never copied."""
    if is_pv:
        clear_row(record, ply)


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    clear_row(record, ply)


@kernel
def improve_row(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    """Copy ``move`` and the child's row to this row."""
    update_row(record, ply, move)


TRIANGULAR = Collector(
    "triangular", tuple(PV_FIELDS), line, {"enter": enter_pv, "improve": improve_row}
)
"""The engine's own: rows by lookup, copied by length, ignored in zero-window nodes."""

EVERYWHERE = Collector(
    "triangular, all nodes", tuple(PV_FIELDS), line, {"enter": _enter, "improve": improve_row}
)
"""The same, but the row is cleared in zero-window nodes too."""


@kernel
def _start(ply: Ply) -> Count:
    return ply * (2 * MAX_PLY + 1 - ply) // 2


@kernel
def _enter_formula(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if is_pv:
        record.formula_length[ply] = 0


@kernel
def _improve_formula(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    start, source = _start(ply), _start(ply + 1)
    length = record.formula_length[ply + 1]
    record.formula[start] = move
    for index in range(length):
        record.formula[start + 1 + index] = record.formula[source + index]
    record.formula_length[ply] = length + 1


FORMULA = Collector(
    "triangular, formula",
    (("formula", np.uint16, PV_SIZE), ("formula_length", np.int64, MAX_PLY)),
    lambda record: tuple(record.formula[: record.formula_length[0]].tolist()),
    {"enter": _enter_formula, "improve": _improve_formula},
)


@kernel
def _next_start(record: Record, ply: Ply, mine: Handle) -> Count:
    return mine + MAX_PLY - ply if ply >= 0 else np.int64(0)


@kernel
def _enter_running(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if is_pv:
        record.running_length[ply] = 0


@kernel
def _improve_running(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    length = record.running_length[ply + 1]
    record.running[mine] = move
    for index in range(length):
        record.running[mine + 1 + index] = record.running[child + index]
    record.running_length[ply] = length + 1


INCREMENTAL = Collector(
    "triangular, incremental",
    (("running", np.uint16, PV_SIZE), ("running_length", np.int64, MAX_PLY)),
    lambda record: tuple(record.running[: record.running_length[0]].tolist()),
    {"child_handle": _next_start, "enter": _enter_running, "improve": _improve_running},
)


@kernel
def _enter_null(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if is_pv:
        record.ended[row_start(ply)] = NO_MOVE


@kernel
def _improve_null(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    target, source = row_start(ply), row_start(ply + 1)
    record.ended[target] = move
    for _ in range(MAX_PLY - 1 - ply):
        target += 1
        record.ended[target] = record.ended[source]
        if record.ended[source] == NO_MOVE:
            break
        source += 1


def _line_to_null(record: Record) -> Line:
    row = record.ended[:MAX_PLY].tolist()
    return tuple(row[: row.index(NO_MOVE)] if NO_MOVE in row else row)


UNTIL_NULL = Collector(
    "triangular, until null",
    (("ended", np.uint16, PV_SIZE),),
    _line_to_null,
    {"enter": _enter_null, "improve": _improve_null},
)
