"""The refutation table: a line for every root move (Selim Akl and Monroe Newborn, 1977).

For the best root move it holds the principal variation, for every other one the moves that
refute it, so that the next iteration can try these first. So rows are also updated where a
move reaches beta, and in zero-window nodes. A refutation is short, since the losing side has
no best move.
"""

import numpy as np

from engine.board.annotations import Count, Flag, Move, Ply
from engine.board.types import MAX_MOVES, MAX_PLY, NO_MOVE
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle, Line
from engine.memory.records import Record

REFUTATIONS_FIRST = 2
"""The record's ``seed`` that makes a search try these lines first."""


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    record.refuting_length[ply] = ply
    if ply == 0 and is_pv:  # a zero window only decides whether the best is still good enough
        record.refuted_best = -1


@kernel
def refutation_of(record: Record, move: Move) -> Count:
    """Return the row of the root move, or a free one."""
    row = np.int64(0)
    while record.refuted[row] != move and record.refuted[row] != NO_MOVE:
        row += 1
    return row


@kernel
def _update(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    end = record.refuting_length[ply + 1]
    record.refuting[ply, ply] = move
    for column in range(ply + 1, end):
        record.refuting[ply, column] = record.refuting[ply + 1, column]
    record.refuting_length[ply] = end
    if ply == 0:
        record.refuted_best = refutation_of(record, move)


@kernel
def _after_child(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    """Save the line of a root move: the move, and the row below."""
    if ply == 0:
        row = refutation_of(record, move)
        record.refuted[row] = move
        record.refutation_length[row] = record.refuting_length[1]
        for column in range(1, record.refuting_length[1]):
            record.refutation[row, column] = record.refuting[1, column]


@kernel
def _before_child(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    """Set the hint to what refuted this root move in the last iteration."""
    if ply == 0 and record.seed == REFUTATIONS_FIRST:
        row = refutation_of(record, move)
        length = record.refutation_length[row] if record.refuted[row] == move else 0
        for column in range(1, length):
            record.hint[column] = record.refutation[row, column]
        record.hint_length = length


def _prepare(record: Record) -> None:
    record.refuted[:] = NO_MOVE
    record.refuted_best = -1


def _line(record: Record) -> Line:
    row = int(record.refuted_best)
    if row < 0:
        return ()
    tail = record.refutation[row, 1 : record.refutation_length[row]]
    return (int(record.refuted[row]), *tail.tolist())


REFUTATION = Collector(
    "refutation",
    (
        ("refuting", np.uint16, (MAX_PLY, MAX_PLY)),
        ("refuting_length", np.int64, MAX_PLY),
        ("refuted", np.uint16, MAX_MOVES),
        ("refuted_best", np.int64),
        ("refutation", np.uint16, (MAX_MOVES, MAX_PLY)),
        ("refutation_length", np.int64, MAX_MOVES),
    ),
    _line,
    {
        "enter": _enter,
        "before_child": _before_child,
        "after_child": _after_child,
        "improve": _update,
        "refute": _update,
    },
    _prepare,
)
