"""The recording of a lab search: nodes, steps, and accesses of memory."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from engine.lab.collectors.collector import Collector, Line
from engine.lab.laboratory import Found, Lab
from engine.memory.records import Record

ENTER, IMPROVE, REFUTE, RETURN, FINISH = range(5)
"""Kinds of steps: a node begins, a move raises alpha, a move reaches beta, a node ends, the
iteration ends."""

TABLE = ("table_key", "table_move", "table_depth", "table_bound", "table_score")
"""The parts of a transposition table entry, treated as fields."""

BUFFERS = "buffer"
"""The field of the line buffers: nodes of a ply write their PVs to the buffer of that number."""

ALLOCATED = "allocated"
"""A pseudo-field: a write of its number of words means that such a buffer begins to exist."""

BUFFER_WORDS = 1 << 8
"""The distance between the buffers' indices, in words."""


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of an element; ``value`` is the element's value afterwards."""

    writes: bool
    field: str
    index: int
    value: int


Note = Callable[[Access], None]


class WatchedArray:
    """An array that records reads and writes of single elements."""

    __slots__ = ("_array", "_field", "_note")

    def __init__(self, array: NDArray[Any], field: str, note: Note) -> None:
        self._array = array
        self._field = field
        self._note = note

    def __getitem__(self, index: Any) -> Any:
        value = self._array[index]
        self._tell(False, index, value)
        return value

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array[index] = value
        self._tell(True, index, self._array[index])

    def _tell(self, writes: bool, index: Any, value: Any) -> None:
        place = index if isinstance(index, tuple) else (index,)
        flat = int(np.ravel_multi_index([int(part) for part in place], self._array.shape))
        self._note(Access(writes, self._field, flat, int(value)))


class WatchedRecord:
    """A record, as kernels use it, that records reads and writes of ``fields``."""

    def __init__(self, record: Record, fields: Iterable[str], note: Note) -> None:
        arrays = {
            name: getattr(record, name) for name in record.dtype.names if record.dtype[name].shape
        }
        watched = frozenset(fields)
        for name in watched & arrays.keys():
            arrays[name] = WatchedArray(arrays[name], name, note)
        self.__dict__.update(arrays)  # found there before `__getattr__` is called
        self.__dict__["_own"] = record, watched, note

    def __getattr__(self, name: str) -> Any:
        record, watched, note = self.__dict__["_own"]
        value = getattr(record, name)
        if name in watched:
            note(Access(False, name, 0, int(value)))
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        record, watched, note = self.__dict__["_own"]
        setattr(record, name, value)
        if name in watched:
            note(Access(True, name, 0, int(getattr(record, name))))


@dataclass(slots=True)
class Node:
    """A visit of a node. ``parent`` is the number of the parent's visit, −1 at the root.

    ``score`` is the returned score, ``worth`` the value of a leaf or a draw: with fail-hard the
    score is clamped to the window.
    """

    parent: int
    move: int
    ply: int
    depth: int
    alpha: int
    beta: int
    key: int
    board: chess.Board
    score: int | None = None
    worth: int | None = None
    end: str = ""
    tried: int = 0
    improved: bool = False


@dataclass(slots=True)
class Step:
    """A step at a node: its kind, the child that caused it, and all accesses of memory."""

    kind: int
    node: int
    child: int = -1
    accesses: list[Access] = field(default_factory=list)
    line: Line = ()


@dataclass(slots=True)
class Recording:
    """A recorded search; ``before`` is the record before the search."""

    collector: Collector
    found: Found
    nodes: list[Node]
    steps: list[Step]
    before: Record
    lab: Lab
    with_table: bool
