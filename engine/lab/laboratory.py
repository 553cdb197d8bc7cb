"""The laboratory: a compiled search for each pair of a plain search and a collector.

Its machine code is cached apart from the playing engine's, which does not depend on it.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.board.position import POSITION, new_position
from engine.evaluation.network import default_network, install
from engine.jit import cache
from engine.jit.kernel import EntryPoints, instance, kernel
from engine.lab import searches
from engine.lab.collectors.collector import NOTHING, Collector, Hooks, Line
from engine.lab.lab_record import NOTHING_FIRST, PV_FIRST, STORE
from engine.lab.registry import RECORD
from engine.memory.records import Record, new_record
from engine.memory.stop_signal import NEVER
from engine.search.score import INFINITE, MATE
from engine.search.tt import Table

LAB = EntryPoints(lambda: cache.digest(everything=True))
"""The entry points of all pairs that this process uses."""

SEARCHES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "minimax": (searches.minimax, searches.minimax_root),
    "fail-hard": (searches.fail_hard, searches.root),
    "fail-soft": (searches.fail_soft, searches.root),
    "PVS": (searches.pvs, searches.root),
    "MTD(f)": (searches.fail_soft, searches.mtdf_root),
}
_NO_LIMIT = 1 << 62


@functools.cache
def compiled(search: str, collector: Collector) -> Callable[..., np.int64]:
    """Return the entry point ``(pos, record, depth, alpha, beta) -> score`` of a pair."""
    root = assembled(search, collector.name, {**NOTHING, **collector.hooks}, kernel)
    return LAB.entry(POSITION, RECORD, *[np.int64] * 3)(root)


def assembled(
    search: str, name: str, hooks: Hooks, made: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Callable[..., Any]:
    """Return the root of a search as a plain function, with ``hooks`` and the search below it.

    That search is recursive; ``made``, such as `kernel`, prepares it for being called.
    """
    template, root = SEARCHES[search]
    suffix = re.sub(r"\W+", "_", f"{search} {name}")
    below = instance(template, f"search_{suffix}", **hooks)
    below.__globals__[template.__name__] = recursive = made(below)
    return instance(root, f"root_{suffix}", **hooks, search=recursive)


@dataclass(frozen=True, slots=True)
class Found:
    """The result of an iteration; ``score`` in centipawns for the side to move."""

    depth: int
    score: int
    line: Line
    nodes: int


class Lab:
    """A plain search with a collector, and its position."""

    def __init__(
        self, search: str, collector: Collector, root: Callable[..., Any] | None = None
    ) -> None:
        """Use one of `SEARCHES`, by name; ``root`` runs in place of its entry point."""
        self.pos = new_position()
        self.record: Record = new_record(RECORD)
        install(self.record, default_network())
        self.collector = collector
        self._root = root or compiled(search, collector)
        self.table: Table | None = None

    def prepare(
        self,
        seed: int = PV_FIRST,
        use: int = STORE,
        megabytes: int = 1,
        selective: bool = False,
        clusters: int | None = None,
    ) -> None:
        """Clear everything, for a first iteration on ``pos`` as it is now.

        ``seed`` says what later iterations try first and ``use`` what the table is for (see
        `engine.lab.lab_record`). If one of these or the collector needs a table, it has
        ``megabytes``; with ``clusters`` only so many of 64 bytes are used.
        """
        lab = self.record
        lab.stop = lab.nodes = lab.overwritten = lab.guess = lab.hint_length = 0
        lab.node_limit, lab.signal = _NO_LIMIT, NEVER.address
        lab.killers[:] = 0
        lab.history[:] = 0
        lab.continuation[:] = 0
        lab.path[0] = 0
        lab.seed, lab.use, lab.protect, lab.selective = seed, use, 1, selective
        lab.clusters = 0
        if self.collector.reads_table or use != STORE:
            if self.table is None or self.table.megabytes != megabytes:
                self.table = Table(megabytes)
            self.table.clear()
            self.table.attach(lab)
            lab.clusters = clusters or lab.clusters
        self.collector.prepare(lab)

    def search(self, depth: int, alpha: int = -INFINITE, beta: int = INFINITE) -> Found:
        """Search one iteration of ``depth`` plies."""
        lab = self.record
        score = int(self._root(self.pos, lab, depth, alpha, beta))
        return Found(depth, score, self.collector.line(lab), int(lab.nodes))

    def deepen(self, depth: int, seeds: Sequence[Line] | None = None) -> Iterator[Found]:
        """Search depth by depth, first along the previous line; end when a mate is found.

        After an iteration without a line the last line found is tried again. ``seeds`` are lines to
        try instead, one after each depth: so searches with different collectors visit the same
        tree.
        """
        for plies in range(1, depth + 1):
            found = self.search(plies)
            yield found
            if abs(found.score) >= MATE - plies:
                return
            self.record.guess = found.score
            hint = found.line if seeds is None else seeds[plies - 1]
            if self.record.seed != NOTHING_FIRST and hint:
                self.record.hint[: len(hint)] = hint
                self.record.hint_length = len(hint)
