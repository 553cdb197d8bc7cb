"""What every way to collect the principal variation consists of, and when a search calls it.

A collector is a data structure: fields of the search's record, and *hooks*, small kernels
that a search calls at fixed moments. Those it does not need are the ones below, which do
nothing and vanish when the search is compiled. The line comes out as 16-bit moves.

``mine`` and ``child`` are *handles*: what a node knows of the place where its own line and
its children's belong. Most collectors find these places by ply and need none.
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
"""Whatever a collector takes for one: a number, or a buffer."""


@kernel
def child_handle(record: Record, ply: Ply, mine: Handle) -> Handle:
    """Return the handle for the children of a node, or the size of the buffer it will be.

    The root's own handle is that of a child of ``ply`` -1.
    """
    return np.int64(0)


@kernel
def allocate(handle: Handle) -> Handle:
    """Return ``handle``, or a buffer of that size; called by the node itself, once."""
    return handle


@kernel
def enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    """Begin a node, before any return; ``is_pv`` says that its window is wider than one."""


@kernel
def before_child(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    """Prepare for the search of a move."""


@kernel
def after_child(record: Record, ply: Ply, move: Move, child: Handle) -> None:
    """Learn that ``move`` has been searched, before its score is looked at."""


@kernel
def improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    """Learn that ``move`` raised alpha and stayed below beta."""


@kernel
def refute(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    """Learn that ``move`` reached beta and ends the node."""


@kernel
def cut(record: Record, ply: Ply, key: Key, mine: Handle) -> None:
    """Learn that the transposition table ended the node with a score inside the window."""


@kernel
def leave(
    record: Record, ply: Ply, key: Key, depth: Depth, move: Move, exact: Flag, mine: Handle
) -> None:
    """End a node of ``depth`` plies; ``exact`` says that ``move`` is best within the window."""


@kernel
def finish(record: Record, pos: Position, depth: Depth, mine: Handle) -> None:
    """End an iteration at the root ``pos``."""


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
"""All hooks, as they are for a collector that does not need them."""


def _nothing(record: Record) -> None:
    """Prepare nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Collector:
    """One way to collect the line.

    ``fields`` are what it keeps in the search's record; ``line`` returns the root's line from
    it, only while no kernel writes; ``prepare`` makes it ready for a new position. ``stack`` is
    what it needs in bytes on the machine's stack, over all plies; ``reads_table`` says that
    it needs a search that fills the transposition table.
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
        """The memory it takes, stack included, the transposition table not."""
        return self.stack + (np.dtype(list(self.fields)).itemsize if self.fields else 0)


NONE = Collector("none", (), lambda record: ())
"""No collection at all: what the others are measured against."""


def _chain(*arguments: Any) -> None:
    first(*arguments)
    second(*arguments)


first = second = finish  # bound anew in every link of a chain


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
