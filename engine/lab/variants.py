"""Variants of the engine's search that collect the principal variation in other ways.

Each is the source of the engine's own search, compiled once more with some of its kernels
replaced: so the playing search has no switches, and a variant is never out of date.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.board.annotations import Count, Depth, Flag, Key, Move, Ply, Position, Score
from engine.board.makemove import make, unmake
from engine.board.position import POSITION
from engine.board.types import MAX_PLY
from engine.jit.kernel import instance, kernel
from engine.lab.collectors.hash_store import HASH_STORE, fetch_line, store_line
from engine.lab.collectors.hash_walk import walk
from engine.lab.interpreted import source_of
from engine.lab.laboratory import LAB
from engine.lab.table import table_move
from engine.lab.watching import recursive
from engine.search import pvs, quiescence, root_move, root_order, tt
from engine.search.iterate import SearchThread
from engine.search.searcher import Searcher
from engine.search.thread import THREAD_FIELDS
from engine.search.thread_data import Entry, ThreadData
from engine.search.triangular import PV_FIELDS, Ending
from engine.search.tt import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_score,
)

Kernels = Mapping[str, Callable[..., Any]]
"""Kernels by the names that they replace."""

_STORE_FIELDS = [field for field in HASH_STORE.fields if field not in PV_FIELDS]
LAB_THREAD = np.dtype([*_STORE_FIELDS, *THREAD_FIELDS], align=True)
"""A search thread's record, with room for whole lines. At the end these fields would make numba
confuse it with the engine's own record."""


# These replace the triangular table if lines are not collected: a kernel for each signature.


@kernel
def _no_row(record: ThreadData, ply: Ply) -> None:
    """Collect nothing."""


@kernel
def _no_move(record: ThreadData, ply: Ply, move: Move) -> None:
    """Collect nothing."""


@kernel
def _no_end(record: ThreadData, ply: Ply, is_pv: Flag, value: Score) -> Score:
    """Return ``value``, collect nothing."""
    return value


# Cut-offs in PV nodes.


@kernel
def _cuts_anywhere(
    pos: Position, th: ThreadData, ply: Ply, data: Entry, depth: Depth, alpha: Score, beta: Score
) -> Flag:
    """Return whether the entry cuts off a node of any kind; a PV node's line then ends here."""
    bound, score = entry_bound(data), entry_score(data, ply)
    if entry_depth(data) < depth or pos.halfmove >= 90:
        return False
    if (bound == LOWER and score < beta) or (bound == UPPER and score > alpha):
        return False
    th.pv_leaf[ply] = score
    return True


@kernel
def _cuts_and_completes(
    pos: Position, th: ThreadData, ply: Ply, data: Entry, depth: Depth, alpha: Score, beta: Score
) -> Flag:
    """Cut off as `_cuts_anywhere`, and append the line stored for the position."""
    cuts = _cuts_anywhere(pos, th, ply, data, depth, alpha, beta)
    if cuts and beta - alpha > 1:
        fetch_line(th, ply, pos.key)
        th.pv_main[ply] = min(th.pv_length[ply], entry_depth(data))
    return cuts


@kernel
def _save_with_line(
    th: ThreadData,
    key: Key,
    ply: Ply,
    depth: Depth,
    score: Score,
    static: Score,
    bound: Count,
    move: Move,
    was_pv: Flag,
) -> None:
    """Save an entry, and an exact one's line as well."""
    tt.save(th, key, ply, depth, score, static, bound, move, was_pv)
    if bound == EXACT:
        store_line(th, ply, key)


_UNCOLLECTED: Kernels = {
    "clear_row": _no_row,
    "mark_horizon": _no_row,
    "update_row": _no_move,
    "end_row": _no_end,
}


@dataclass(frozen=True, slots=True)
class Variant:
    """How a search differs from the engine's: replaced kernels; a line read from the table."""

    kernels: Kernels = field(default_factory=dict)
    walks: bool = False


VARIANTS: dict[str, Variant] = {
    "triangular": Variant(),
    "triangular_cut": Variant({"tt_cutoff": _cuts_anywhere}),
    "hash_walk": Variant(_UNCOLLECTED, walks=True),
    "hash_walk_cut": Variant({**_UNCOLLECTED, "tt_cutoff": _cuts_anywhere}, walks=True),
    "hash_store": Variant({"tt_cutoff": _cuts_and_completes, "save": _save_with_line}),
}
"""The engine's own way; with PV nodes cut off by the table; with the line read from the table
instead of collected, without and with cut-offs; and with cut-offs whose lines a store completes."""


def _walk_from(pos: Position, th: ThreadData, move: Move, most: Count) -> Count:
    """Make ``move``, write the table's line after it to ``pos.moves`` and return its length."""
    make(pos, move)
    length = walk(th, pos, most)
    unmake(pos)
    return length


def _recursive(source: Callable[..., Any], name: str, kernels: Kernels) -> Callable[..., Any]:
    """Return a copy of a recursive kernel with ``kernels`` replaced."""
    copy = instance(source_of(source), f"{source.__name__}_{name}", **kernels)
    return recursive(copy, source.__name__)


@functools.cache
def _search_of(name: str) -> Callable[..., np.int64]:
    """Return the variant's entry point, as `engine.search.root_move.search_root_move`."""
    kernels = VARIANTS[name].kernels
    settle = _recursive(quiescence.quiescence, name, kernels)
    below = _recursive(pvs.pvs, name, {**kernels, "quiescence": settle})
    root = instance(
        source_of(root_move.search_root_move),
        f"search_root_move_{name}",
        **{**kernels, "pvs": below},
    )
    return LAB.entry(POSITION, LAB_THREAD, *[np.int64] * 5)(root)


@functools.cache
def _walk() -> Callable[..., np.int64]:
    """Return the walk through the engine's own table."""
    steps = kernel(instance(source_of(walk), "walk_played", recall=table_move))
    root = instance(_walk_from, "walk_from_played", walk=steps)
    return LAB.entry(POSITION, LAB_THREAD, np.int64, np.int64)(root)


@functools.cache
def _order() -> Callable[..., np.int64]:
    """Return `engine.search.root_order.order_root_moves` for the variants' record."""
    root = instance(source_of(root_order.order_root_moves), "order_root_moves_lab")
    return LAB.entry(POSITION, LAB_THREAD, root_order.MOVE_LIST)(root)


class VariantThread(SearchThread):
    """A thread that searches with a variant's kernels."""

    def __init__(self, th: ThreadData, name: str) -> None:
        super().__init__(th)
        self._root = _search_of(name)
        self._walk = _walk() if VARIANTS[name].walks else None
        self._reached = (0, 0)

    def root_moves(self) -> list[int]:
        """See `SearchThread`."""
        count = _order()(self.pos, self.th, self._move_list)
        return [int(move) for move in self._move_list[:count]]

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        """See `SearchThread`."""
        score = int(self._root(self.pos, self.th, move, number, depth, alpha, beta))
        self._reached = depth, score
        return score

    def best_line(self, move: int) -> tuple[tuple[int, ...], Ending]:
        """See `SearchThread`; where the line is read from the table, its end's value is unknown."""
        if self._walk is None:
            return super().best_line(move)
        depth, score = self._reached
        length = self._walk(self.pos, self.th, move, min(depth, MAX_PLY) - 1)
        return (move, *self.pos.moves[:length].tolist()), Ending(score, int(length) + 1)


class VariantSearcher(Searcher):
    """The engine's searcher over a variant of its search."""

    _dtype = LAB_THREAD

    def __init__(self, name: str, hash_mb: int = 16) -> None:
        """Use one of `VARIANTS`, by name."""
        self._name = name
        super().__init__(hash_mb)

    def _new_thread(self) -> SearchThread:
        return VariantThread(self._new_record(), self._name)

    def evaluation_id(self) -> str:
        """See `Searcher`."""
        return f"{super().evaluation_id()} in {self._name}"

    def _set_up(self, th: ThreadData) -> None:
        super()._set_up(th)
        th.use_correction = 0  # so that the evaluation of a line's end equals its score
