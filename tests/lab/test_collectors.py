"""The collectors as data structures, on small trees and at their limits."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.types import MAX_PLY
from engine.jit.kernel import COMPILED
from engine.lab.collectors import hash_store, tree
from engine.lab.collectors.collector import NOTHING, Collector
from engine.lab.collectors.hash_store import HASH_STORE
from engine.lab.collectors.line import LINE, LINE_MEASURED, LINE_TRIANGULAR
from engine.lab.collectors.single import SINGLE
from engine.lab.collectors.tree import TREE
from engine.lab.registry import COLLECTORS, RECORD, all_fields

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

Tree = int | list["Tree"]
BY_WINDOW = {"none", "single", "hash_walk", "hash_walk, unprotected", "pv_hash"}
"""Collectors that need a stable search or a table of positions."""

ON_ANY_TREE = [
    collector
    for name, collector in COLLECTORS.items()
    if name not in BY_WINDOW and not (COMPILED and collector in (LINE, LINE_TRIANGULAR))
]
"""Collectors without a buffer on a kernel's stack, which Python cannot provide."""


@pytest.fixture(scope="module")
def record() -> Any:
    return np.rec.array(np.zeros(1, RECORD))[0]


def best_line(node: Tree, sign: int = 1) -> tuple[int, tuple[int, ...]]:
    """Return value and line of a node: moves count from 1, and the first of equals is best."""
    if isinstance(node, int):
        return node, ()
    values = [best_line(child, -sign) for child in node]
    best = max(range(len(node)), key=lambda index: (sign * values[index][0], -index))
    return values[best][0], (best + 1, *values[best][1])


class Family:
    """A textbook minimax search, with ``max`` and ``min``, of a tree in memory."""

    def __init__(self, record: Any, collector: Collector) -> None:
        self.record = record
        self.hooks = {**dict.fromkeys(NOTHING, _ignore), **collector.hooks}
        self.collector = collector
        self.keys = iter(range(1, 1 << 30))

    def line(self, root: Tree) -> tuple[int, tuple[int, ...]]:
        self.collector.prepare(self.record)
        value = self.maximum(root, 0, self._handle(-1, 0))
        return value, self.collector.line(self.record)

    def _handle(self, ply: int, mine: Any) -> Any:
        handle = self.hooks["child_handle"](self.record, np.int64(ply), mine)
        if "allocate" in self.collector.hooks:
            return self.hooks["allocate"](handle)
        return 0 if handle is None else handle

    def maximum(self, node: Tree, ply: int, mine: Any) -> int:
        return self._best(node, ply, mine, self.minimum, lambda new, old: new > old)

    def minimum(self, node: Tree, ply: int, mine: Any) -> int:
        return self._best(node, ply, mine, self.maximum, lambda new, old: new < old)

    def _best(
        self,
        node: Tree,
        ply: int,
        mine: Any,
        other: Callable[[Tree, int, Any], int],
        better: Callable[[int, int], bool],
    ) -> int:
        record, hooks = self.record, self.hooks
        hooks["enter"](record, ply, True, mine)
        if isinstance(node, int):
            return node
        best, best_move = None, 0
        child = self._handle(ply, mine)
        for move, son in enumerate(node, 1):
            hooks["before_child"](record, ply, move, child)
            value = other(son, ply + 1, child)
            hooks["after_child"](record, ply, move, child)
            if best is None or better(value, best):
                best, best_move = value, move
                hooks["improve"](record, ply, move, mine, child)
        assert best is not None
        key = np.uint64(next(self.keys) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)
        hooks["leave"](record, ply, key, 1, best_move, True, mine)
        if ply == 0:
            hooks["finish"](record, record, 1, mine)
        return best


def _ignore(*arguments: Any) -> None:
    """Do nothing, as a default hook does."""


@pytest.mark.slow
@pytest.mark.parametrize("collector", ON_ANY_TREE, ids=lambda c: c.name)
def test_father_and_son(collector: Collector, record: Any) -> None:
    """The worked example of an explanation of TSCP: a grandfather, two fathers, their sons.

    Father 1 is worth 2 through his son and father 2 first -4, so father 1 and his son are the
    line; were father 2's son worth 5, they would be the line instead.
    """
    family = Family(record, collector)
    assert family.line([[2, 7], [-4, 3]]) == (2, (1, 1))
    assert family.line([[2, 7], [5, 9]]) == (5, (2, 1))
    assert family.line([[7, 2], [9, -4]]) == (2, (1, 2))


trees = st.recursive(
    st.integers(-20, 20), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=40
).filter(lambda node: isinstance(node, list))


@pytest.mark.slow
@pytest.mark.parametrize("collector", ON_ANY_TREE, ids=lambda c: c.name)
@settings(max_examples=60 if COMPILED else 15, deadline=None)
@given(root=trees)
def test_the_line_of_any_tree(collector: Collector, record: Any, root: Tree) -> None:
    """The line is right in any tree, including extensions and early ends."""
    assert Family(record, collector).line(root) == best_line(root)


@pytest.mark.parametrize("collector", ON_ANY_TREE, ids=lambda c: c.name)
def test_the_longest_line_fits(collector: Collector, record: Any) -> None:
    """A tree with one move a node, as deep as a search can go, does not overflow."""
    root: Tree = 1
    for _ in range(MAX_PLY - 1):
        root = [root]
    assert Family(record, collector).line(root) == (1, (1,) * (MAX_PLY - 1))


def row(record: Any, ply: int) -> list[int]:
    start = ply * (2 * MAX_PLY + 1 - ply) // 2
    return record.pv[start : start + record.pv_length[ply]].tolist()


def put(record: Any, ply: int, moves: list[int]) -> None:
    start = ply * (2 * MAX_PLY + 1 - ply) // 2
    record.pv[start : start + len(moves)] = moves
    record.pv_length[ply] = len(moves)


def colliding(rng: random.Random, slot: int) -> Iterator[np.uint64]:
    """Yield different keys that are folded to the index ``slot``."""
    while True:
        key = rng.randrange(1, 1 << 64) & ~0xFFF
        yield np.uint64(key | int(hash_store.fold(np.uint64(key))) ^ slot)


def test_a_stored_line_is_never_another_position_s(record: Any) -> None:
    """With keys that collide on purpose, only the line stored for this key is fetched, or none."""
    rng = random.Random(1)
    HASH_STORE.prepare(record)
    keys = colliding(rng, 77)
    ours, others = next(keys), [next(keys) for _ in range(200)]
    assert {int(hash_store.fold(key)) for key in (ours, *others)} == {77}
    put(record, 3, [1, 2, 3])
    hash_store.store_line(record, 3, ours)
    for key in others:
        put(record, 5, [9])
        hash_store.fetch_line(record, 5, key)
        assert row(record, 5) == [9], "a foreign line"
    hash_store.fetch_line(record, 5, ours)
    assert row(record, 5) == [1, 2, 3]
    for key in others:
        put(record, 3, [int(key) & 0xFFFF, 1])
        hash_store.store_line(record, 3, key)
        put(record, 4, [])
        hash_store.fetch_line(record, 4, ours)
        assert row(record, 4) == [], "our line has been replaced"
        hash_store.fetch_line(record, 4, key)
        assert row(record, 4) == [int(key) & 0xFFFF, 1]


def test_a_stored_line_is_cut_at_the_end_of_the_table(record: Any) -> None:
    HASH_STORE.prepare(record)
    put(record, 0, list(range(1, 20)))
    hash_store.store_line(record, 0, np.uint64(5))
    hash_store.fetch_line(record, MAX_PLY - 2, np.uint64(5))
    assert row(record, MAX_PLY - 2) == [1, 2]


def test_a_full_tree_says_so_and_loses_nothing(record: Any) -> None:
    rng = random.Random(2)
    TREE.prepare(record)
    record.tree_limit = 50
    known: dict[int, tuple[int, int, int]] = {}
    for number in range(200):
        key, move = rng.randrange(1, 1 << 64), rng.randrange(1, 1 << 16)
        cell = int(tree.insert(record, np.uint64(key), move, np.int64(number % 7)))
        assert (cell == tree.NONE) == (number >= 49)
        if cell:
            known[key] = cell, move, number % 7
        assert record.tree_full == max(0, number - 48)
    for key, (cell, move, following) in known.items():
        assert tree.find(record, np.uint64(key)) == cell
        assert (record.tree_move[cell], record.tree_next[cell]) == (move, following)
    assert tree.find(record, np.uint64(1)) == tree.NONE


def test_a_line_once_told_stays_whole(record: Any) -> None:
    """A newer line for a position is found instead of the old one, which stays unchanged."""
    TREE.prepare(record)
    keys = [np.uint64(key) for key in (50, 20, 80, 10, 30)]
    cells = [int(tree.insert(record, key, 7, np.int64(0))) for key in keys]
    assert tree.insert(record, keys[1], 7, np.int64(0)) == cells[1], "the same content twice"
    newer = int(tree.insert(record, keys[1], 8, np.int64(cells[4])))
    assert newer not in cells
    assert tree.find(record, keys[1]) == newer
    assert [int(tree.find(record, key)) for key in keys[3:]] == cells[3:], "its subtrees are lost"
    assert record.tree_move[cells[1]] == 7


def test_bytes() -> None:
    """The triangular table takes about half of the square one, in memory and on the stack."""
    sizes = {name: collector.bytes for name, collector in COLLECTORS.items()}
    assert sizes["none"] == 0
    square, moves = 2 * MAX_PLY * MAX_PLY, MAX_PLY * (MAX_PLY + 1)
    assert sizes["triangular"] == moves + 3 * 8 * MAX_PLY  # lengths, and how each line ends
    assert sizes["quadratic"] == square + 8 * MAX_PLY
    assert LINE.stack == 2 * moves == 2 * LINE_TRIANGULAR.stack
    assert sizes["single"] == 2 * (MAX_PLY + 1) == min(size for size in sizes.values() if size)
    assert LINE_MEASURED.name not in COLLECTORS


def test_two_collectors_cannot_have_different_fields_of_one_name() -> None:
    field = SINGLE.fields[0]
    other = replace(SINGLE, name="other", fields=((field[0], np.int8),))
    with pytest.raises(TypeError, match=f"other: another collector has a field {field[0]}"):
        all_fields([SINGLE, other])
    assert all_fields([SINGLE, SINGLE]) == SINGLE.fields
