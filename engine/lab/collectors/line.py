"""A buffer in every call, handed to the children (Bruce Moreland, "Collecting the PV").

A node has one buffer on its stack, which its children write their lines to. When a move raises
alpha, the node writes it, followed by the child's line, to the buffer that it was given itself.
Word 0 is the length. Nothing is shared, and the price is the stack: in every ply as many words
as a line can have, or, "triangular", as can still follow.
"""

import numpy as np

from engine.board.annotations import Count, Depth, Flag, Move, Ply, Position, Words
from engine.board.types import MAX_PLY
from engine.jit.intrinsics import address, alloca
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle, Hooks, Line
from engine.memory.records import Record

_WORD = 2
_FIELDS = (("root_line", np.uint16, MAX_PLY + 1),)
_STACK_FIELDS = (("buffer_at", np.int64, MAX_PLY), *_FIELDS)


@kernel
def _full(record: Record, ply: Ply, mine: Handle) -> Count:
    return np.int64(MAX_PLY + 1)


@kernel
def _rest(record: Record, ply: Ply, mine: Handle) -> Count:
    return np.int64(MAX_PLY) - ply


@kernel
def _empty(words: Count) -> Words:
    return np.empty(words, np.uint16)


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    mine[0] = 0


@kernel
def _enter_and_note(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    mine[0] = 0
    record.buffer_at[ply] = address(mine)


@kernel
def _improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    length = np.int64(child[0])
    mine[0] = length + 1
    mine[1] = move
    for index in range(1, length + 1):
        mine[index + 1] = child[index]


@kernel
def _finish(record: Record, pos: Position, depth: Depth, mine: Handle) -> None:
    for index in range(np.int64(mine[0]) + 1):
        record.root_line[index] = mine[index]


def _line(record: Record) -> Line:
    return tuple(record.root_line[1 : 1 + int(record.root_line[0])].tolist())


_HOOKS: Hooks = {"enter": _enter, "improve": _improve, "finish": _finish, "child_handle": _full}

LINE = Collector(
    "line", _FIELDS, _line, {**_HOOKS, "allocate": alloca}, stack=_WORD * MAX_PLY * (MAX_PLY + 1)
)
LINE_TRIANGULAR = Collector(
    "line, triangular",
    _FIELDS,
    _line,
    {**_HOOKS, "allocate": alloca, "child_handle": _rest},
    stack=_WORD * MAX_PLY * (MAX_PLY + 1) // 2,
)
LINE_EMPTY = Collector("line, np.empty", _FIELDS, _line, {**_HOOKS, "allocate": _empty})
"""The same with buffers on the heap, as one would write it in numba at first."""

LINE_MEASURED = Collector(
    "line, measured",
    _STACK_FIELDS,
    _line,
    {**_HOOKS, "allocate": alloca, "enter": _enter_and_note},
)
"""It records the address of every ply's buffer, to measure how the stack grows."""
