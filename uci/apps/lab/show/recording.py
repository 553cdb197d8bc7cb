"""A search of the laboratory as it went: nodes, steps, accesses of memory."""

from dataclasses import dataclass, field

import chess

from engine.lab.collectors.collector import Collector, Line
from engine.lab.laboratory import Found, Lab
from engine.memory.records import Record
from uci.apps.lab.show.watched import Access

ENTER, IMPROVE, REFUTE, RETURN, FINISH = range(5)
"""Kinds of steps: a node begins, a move raises alpha, a move reaches beta, a node ends, and the
iteration ends."""

TABLE = ("table_key", "table_move", "table_depth", "table_bound", "table_score")
"""What an entry of the transposition table holds, as if each were a field."""

BUFFERS = "buffer"
"""The field of which buffer ``ply`` is the one that nodes of that ply write their lines to."""

ALLOCATED = "allocated"
"""The field that is written, with the number of words, where such a buffer begins to exist."""

BUFFER_WORDS = 1 << 8
"""So many words apart are the buffers' indices."""


@dataclass(slots=True)
class Node:
    """A visit of a node. ``parent`` is the number of the parent's visit, −1 at the root.

    ``score`` is what it returns, ``worth`` what a leaf or a draw was found to be worth: fail-hard
    returns no more than the window has room for.
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
    """What happened at a node: the kind, the child that did it, and all accesses of memory."""

    kind: int
    node: int
    child: int = -1
    accesses: list[Access] = field(default_factory=list)
    line: Line = ()


@dataclass(slots=True)
class Recording:
    """A search as it went: ``before`` is the record as the search found it."""

    collector: Collector
    found: Found
    nodes: list[Node]
    steps: list[Step]
    before: Record
    lab: Lab
    with_table: bool
