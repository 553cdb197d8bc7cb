"""The interface of the collectors: the ways to collect the principal variation.

A collector is a data structure: fields of the search's record, and *hooks*, small kernels
that a search calls at fixed points. The hooks below are the defaults: they do nothing and are
compiled away.

``mine`` and ``child`` are *handles*: the places of a node's own line and of its children's
lines. Most collectors find these places by ply and need none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from engine.board.annotations import Depth, Flag, Key, Move, Ply, Position
from engine.jit.kernel import instance, kernel
from engine.memory.records import Field, Record

Fields: TypeAlias = tuple[Field, ...]
Hooks: TypeAlias = Mapping[str, Callable[..., Any]]

Line: TypeAlias = tuple[int, ...]
"""16-bit moves."""

Handle: TypeAlias = Any
"""An integer or a buffer, as the collector needs."""


@kernel
def child_handle(record: Record, ply: Ply, mine: Handle) -> Handle:
    """Return the handle for the children of a node, or the length of the buffer to allocate.

    The root's own handle is that of a child of ``ply`` -1.
    """
    return np.int64(0)


@kernel
def allocate(handle: Handle) -> Handle:
    """Return ``handle``, or a buffer of that length; called once, in the node itself."""
    return handle


@kernel
def enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    """Called first in a node; ``is_pv``: its window is wider than one."""


@kernel
def before_child(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    """Called before a move is searched."""


@kernel
def after_child(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    """Called after ``move`` was searched, before its score is compared."""


@kernel
def improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    """Called when ``move`` raised alpha and stayed below beta."""


@kernel
def refute(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    """Called when ``move`` reached beta and ends the node."""


@kernel
def cut(record: Record, ply: Ply, key: Key, mine: Handle) -> None:
    """Called when the transposition table ends the node with a score inside the window."""


@kernel
def leave(
    record: Record, ply: Ply, key: Key, depth: Depth, move: Move, exact: Flag, mine: Handle
) -> None:
    """Called last in a node of ``depth`` plies; ``exact``: ``move`` is best within the window."""


@kernel
def finish(record: Record, pos: Position, depth: Depth, mine: Handle) -> None:
    """Called after an iteration, at the root ``pos``."""


NOTHING: Hooks = {
    "child_handle": child_handle,
    "allocate": allocate,
    "enter": enter,
    "before_child": before_child,
    "after_child": after_child,
    "improve": improve,
    "refute": refute,
    "cut": cut,
    "leave": leave,
    "finish": finish,
}
"""The default hooks, which do nothing."""


def _nothing(record: Record) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Collector:
    """One way to collect the line.

    ``fields`` are its fields in the search's record; ``line`` returns the root's line, only
    while no kernel writes the record; ``prepare`` resets it for a new position. ``stack`` is its
    use of the machine's stack in bytes, over all plies; ``reads_table`` says that it needs a
    search that fills the transposition table.
    """

    name: str
    fields: Fields
    line: Callable[[Record], Line]
    hooks: Hooks = field(default_factory=dict)
    prepare: Callable[[Record], None] = _nothing
    stack: int = 0
    reads_table: bool = False

    @property
    def bytes(self) -> int:
        """The memory that it uses, in bytes: with the stack, without the transposition table."""
        return self.stack + (np.dtype(list(self.fields)).itemsize if self.fields else 0)


NONE = Collector("none", (), lambda record: ())
"""No collection: the baseline."""


def _chain(*arguments: Any) -> None:
    first(*arguments)
    second(*arguments)


first = second = finish  # replaced in every link of a chain


def together(name: str, collectors: "tuple[Collector, ...]") -> Collector:
    """Return a collector that feeds all of ``collectors`` from one search.

    At most one of them may have handles. ``line`` is that of the first.
    """
    hooks: dict[str, Callable[..., Any]] = {}
    for number, collector in enumerate(collectors):
        for hook, function in collector.hooks.items():
            if hook in hooks and hook not in ("child_handle", "allocate"):
                link = f"{name}_{number}_{hook}"
                pair = {"first": hooks[hook], "second": function}
                function = kernel(instance(_chain, link, **pair))
            hooks[hook] = function

    def prepare(record: Record) -> None:
        for collector in collectors:
            collector.prepare(record)

    fields = {entry[0]: entry for collector in collectors for entry in collector.fields}
    return Collector(
        name,
        tuple(fields.values()),
        collectors[0].line,
        hooks,
        prepare,
        sum(collector.stack for collector in collectors),
        any(collector.reads_table for collector in collectors),
    )
