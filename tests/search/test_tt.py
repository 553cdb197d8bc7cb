"""The transposition table: a probe returns what was stored for the key, or nothing."""

import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.types import MAX_PLY
from engine.jit.intrinsics import load, store
from engine.jit.kernel import COMPILED
from engine.search import searcher as searcher_module
from engine.search import tt
from engine.search.score import MATE, MATE_IN_MAX, TB_WIN, TB_WIN_IN_MAX
from engine.search.searcher import Searcher
from engine.search.tt import EXACT, LOWER, NO_SCORE, TABLE_FIELDS, UPPER, Table
from helpers.entries import entry
from helpers.naive_search import search
from uci.chess_io.convert import board_of, fill

RECORD = np.dtype(TABLE_FIELDS, align=True)
NOTHING = 0
ABSURD = 33_554_432
"""More megabytes than any machine has."""


@entry(RECORD, np.uint64)
def probe(record: Any, key: Any) -> Any:
    return tt.probe(record, key)


@entry(RECORD, np.uint64, *[np.int64] * 7)
def save(
    record: Any,
    key: Any,
    ply: Any,
    depth: Any,
    score: Any,
    static: Any,
    bound: Any,
    move: Any,
    was_pv: Any,
) -> None:
    tt.save(record, key, ply, depth, score, static, bound, move, was_pv)


@entry(np.uint64, np.int64, np.int64)
def part(data: Any, which: Any, ply: Any) -> Any:
    if which == 0:
        return tt.entry_depth(data)
    if which == 1:
        return tt.entry_score(data, ply)
    if which == 2:
        return tt.entry_static(data)
    if which == 3:
        return tt.entry_bound(data)
    if which == 5:
        return tt.entry_was_pv(data)
    return tt.entry_move(data)


@entry(np.int64, np.uint64)
def flip(address: Any, mask: Any) -> None:
    store(address, load(address) ^ mask)


class Shelf:
    """A table of 1 MB and a record that uses it."""

    def __init__(self) -> None:
        self.table = Table(1)
        self.record = np.rec.array(np.zeros(1, RECORD))[0]
        self.table.new_search()
        self.table.attach(self.record)

    def save(self, key: int, *parts: int, was_pv: int = 0) -> None:
        """Store an entry: ply, depth, score, static eval, bound, move."""
        save(self.record, np.uint64(key), *map(np.int64, (*parts, was_pv)))

    def find(self, key: int, ply: int = 0) -> tuple[int, ...] | None:
        """Return depth, score, static eval, bound and move of an entry; ``None`` without one."""
        data = probe(self.record, np.uint64(key))
        if data == NOTHING:
            return None
        return tuple(int(part(np.uint64(data), which, ply)) for which in range(5))

    def was_pv(self, key: int) -> int:
        """Return whether the stored entry is marked as a PV node's."""
        return int(part(probe(self.record, np.uint64(key)), 5, 0))

    def new_search(self) -> None:
        self.table.new_search()
        self.table.attach(self.record)


SHELF = Shelf()
keys = st.integers(0, (1 << 64) - 1)
plies = st.integers(0, MAX_PLY - 1)
depths = st.integers(1, MAX_PLY - 1)
statics = st.one_of(st.just(NO_SCORE), st.integers(1 - MATE_IN_MAX, MATE_IN_MAX - 1))
bounds = st.sampled_from([UPPER, LOWER, EXACT])
moves = st.integers(1, (1 << 16) - 1)
examples = settings(max_examples=300 if COMPILED else 50, deadline=None)


@st.composite
def stored(draw: Any) -> tuple[int, ...]:
    """Return random ply, depth, score, static eval, bound and move of an entry."""
    ply = draw(plies)
    worst = ply - MATE  # no mate is nearer to the root than the node
    score = draw(st.one_of(st.integers(worst, -worst), st.sampled_from([worst, -worst])))
    return ply, draw(depths), score, draw(statics), draw(bounds), draw(moves)


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
@examples
@given(keys, stored(), st.integers(0, 1))
def test_what_is_stored_comes_back(key: int, entry_: tuple[int, ...], was_pv: int) -> None:
    SHELF.table.clear()
    SHELF.new_search()
    SHELF.save(key, *entry_, was_pv=was_pv)
    ply, depth, score, static, bound, move = entry_
    if TB_WIN_IN_MAX <= abs(score) < MATE_IN_MAX:  # nor is a win by tablebases
        score = max(ply - TB_WIN, min(score, TB_WIN - ply))
    assert SHELF.find(key, ply) == (depth, score, static, bound, move)
    assert SHELF.was_pv(key) == was_pv
    assert SHELF.find(key ^ 1) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_wins_by_tablebases_count_from_the_root(sign: int) -> None:
    SHELF.table.clear()
    SHELF.new_search()
    for distance, found in ((12, 9), (10, 7), (8, 7)):
        SHELF.save(1, 10, 5, sign * (TB_WIN - distance), NO_SCORE, EXACT, 1)
        entry = SHELF.find(1, 7)
        assert entry is not None
        assert entry[1] == sign * (TB_WIN - found)


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("distance", [1, 2, 7, 100])
def test_mates_are_stored_as_distances_from_here(distance: int) -> None:
    shelf = Shelf()
    shelf.save(1, 20, 5, MATE - 20 - distance, 0, EXACT, 1)
    shelf.save(2, 20, 5, 20 + distance - MATE, NO_SCORE, EXACT, 1)
    for ply in (0, 3, 27):
        assert shelf.find(1, ply) == (5, MATE - ply - distance, 0, EXACT, 1)
        assert shelf.find(2, ply) == (5, ply + distance - MATE, NO_SCORE, EXACT, 1)


def words_of(key: int, entry_: tuple[int, ...]) -> tuple[int, Any]:
    """Return the index and the two words of an entry, stored in an empty table."""
    SHELF.table.clear()
    SHELF.new_search()
    SHELF.save(key, *entry_)
    position = int(np.flatnonzero(SHELF.table._words)[0]) // 2 * 2
    return position, SHELF.table._words[position : position + 2].copy()


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
@examples
@given(keys, st.one_of(st.none(), keys), stored(), stored(), st.integers(0, 1))
def test_torn_entries_are_not_believed(
    key: int, other: int | None, one: tuple[int, ...], two: tuple[int, ...], word: int
) -> None:
    """An entry made of halves of two entries, of the same or another position, is not returned."""
    _, theirs = words_of(key if other is None else other, two)
    position, ours = words_of(key, one)
    SHELF.table._words[position + word] = theirs[word]
    assert (SHELF.find(key) is None) == (theirs[word] != ours[word])


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("word", [0, 8])
@pytest.mark.parametrize("bit", [0, 17, 33, 50, 63])
def test_a_flipped_bit_is_noticed(word: int, bit: int) -> None:
    shelf = Shelf()
    shelf.save(12345, 0, 3, 4, 5, EXACT, 6)
    first = int(np.flatnonzero(shelf.table._words)[0]) // 2 * 16
    flip(np.int64(shelf.record.table + first + word), np.uint64(1 << bit))
    assert shelf.find(12345) is None


def keep(shelf: Shelf, old: tuple[int, int], new: tuple[int, int], age: int = 0) -> bool:
    """Return whether an ``old`` entry (depth, bound) survives a ``new`` one of its position."""
    shelf.table.clear()
    shelf.new_search()
    shelf.save(99, 0, old[0], 1, 0, old[1], 1)
    for _ in range(age):
        shelf.new_search()
    shelf.save(99, 0, new[0], 2, 0, new[1], 2)
    found = shelf.find(99)
    assert found in ((old[0], 1, 0, old[1], 1), (new[0], 2, 0, new[1], 2))
    return found[1] == 1


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_which_of_two_results_of_a_position_is_kept() -> None:
    shelf = Shelf()
    assert not keep(shelf, (5, LOWER), (5, LOWER))
    assert not keep(shelf, (5, LOWER), (6, UPPER))
    assert keep(shelf, (20, LOWER), (5, UPPER)), "a clearly deeper one is worth more"
    assert keep(shelf, (8, EXACT), (5, LOWER)), "so is an exact one"
    assert not keep(shelf, (20, LOWER), (5, EXACT)), "the line of this search must get through"
    assert not keep(shelf, (10, LOWER), (9, LOWER), age=1), "an old one makes room"


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_a_result_without_a_move_keeps_the_old_move() -> None:
    shelf = Shelf()
    shelf.save(7, 0, 5, 10, 0, LOWER, 1234)
    shelf.save(7, 0, 6, -10, 0, UPPER, 0)
    assert shelf.find(7) == (6, -10, 0, UPPER, 1234)


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("lost", range(4))
def test_the_least_valuable_entry_of_a_cluster_makes_room(lost: int) -> None:
    """Of five keys in a cluster of four (equal upper halves), the least valuable is replaced."""
    for worth in ([(9, LOWER)] * 4, [(6, EXACT)] * 4):
        shelf = Shelf()
        for key, (depth, bound) in enumerate(worth, 1):
            shelf.save(key, 0, 3 if key == lost + 1 else depth, key, 0, bound, key)
        shelf.save(5, 0, 1, 5, 0, LOWER, 5)
        assert [key for key in range(1, 6) if shelf.find(key) is None] == [lost + 1]
    shelf = Shelf()
    shelf.save(lost + 1, 0, 9, 1, 0, EXACT, 1)
    for _ in range(2):
        shelf.new_search()
    for key in {1, 2, 3, 4} - {lost + 1}:
        shelf.save(key, 0, 2, key, 0, LOWER, key)
    shelf.save(5, 0, 1, 5, 0, LOWER, 5)
    assert [key for key in range(1, 6) if shelf.find(key) is None] == [lost + 1], "the old one"


@pytest.mark.interpreted
@pytest.mark.parametrize("megabytes", [1, 2, 3, 16, 33])
def test_size_and_alignment(megabytes: int) -> None:
    table, record = Table(megabytes), SHELF.record.copy()
    table.attach(record)
    assert record.table % 64 == 0
    assert int(record.clusters) * 64 == megabytes << 20
    for key in (0, (1 << 64) - 1):
        save(record, np.uint64(key), *map(np.int64, (0, 1, 2, 3, EXACT, 4, 0)))
    assert table._words[:8].any()
    assert table._words[-8:].any()
    assert not table._words[8:-8].any()


def test_touched_memory_is_there_and_keeps_what_it_holds() -> None:
    resource = pytest.importorskip("resource")

    def faults_of_writing(table: Table) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        table._words[:] = 1
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

    fresh, touched = Table(64), Table(64)
    touched.prefault(threads=2)
    assert not touched._words.any()
    if expected := faults_of_writing(fresh):  # some systems do not count page faults
        assert 4 * faults_of_writing(touched) < expected
    touched._words[:] = 1
    touched.attach(SHELF.record.copy())
    touched.prefault()
    assert touched._words.all()


def test_a_size_that_cannot_be_had() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))
    search(searcher, 6)
    table = searcher.table
    before = table._words.copy()
    assert searcher.resize(ABSURD) == 1
    assert searcher.table is table
    assert (table._words == before).all()
    assert search(searcher, 4)
    with pytest.raises(MemoryError):
        Table(ABSURD)


def test_the_old_table_goes_before_a_new_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The old table is freed first, since memory may not suffice for both."""
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))
    old, had, asked = weakref.ref(searcher.table), [2, 1], []

    class Scarce(Table):
        def __init__(self, megabytes: int) -> None:
            assert old() is None
            asked.append(megabytes)
            if megabytes not in had:
                raise MemoryError
            super().__init__(megabytes)

    monkeypatch.setattr(searcher_module, "Table", Scarce)
    for wanted, gets, tried in ((2, 2, [2]), (4, 2, [4, 2]), (3, 1, [3, 2, 1])):
        if wanted == 3:
            had.remove(2)
        old = weakref.ref(searcher.table)
        assert searcher.resize(wanted) == searcher.table.megabytes == gets
        assert asked == tried
        asked.clear()
        assert search(searcher, 4)


def test_without_any_memory_there_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))

    def none(megabytes: int) -> Table:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(searcher_module, "Table", none)
        for wanted in (2, 3):
            assert searcher.resize(wanted) == 0
            searcher.clear()
            assert search(searcher, 4)
    assert searcher.resize(2) == 2
    assert search(searcher, 4)


@pytest.mark.boundscheck
def test_fullness() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))
    told = [iteration.hashfull for iteration in search(searcher, 30, nodes=200_000)]
    assert told[0] < 100
    assert told == sorted(told)
    assert 100 < told[-1] <= 1000
    assert searcher.table.hashfull() >= told[-1]
    assert search(searcher, 1)[0].hashfull < 100, "old entries do not count"
    searcher.clear()
    assert searcher.table.hashfull() == 0
    assert not searcher.table._words.any()


def test_ages_go_round() -> None:
    """Entries are found by later searches, however many there were in between."""
    shelf = Shelf()
    for search_number in range(200):
        shelf.save(search_number, 0, 3, search_number, 0, EXACT, 1)
        assert shelf.find(search_number) == (3, search_number, 0, EXACT, 1)
        shelf.new_search()
        assert 0 <= shelf.record.age < tt.AGES


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_the_table_may_lie_in_huge_pages() -> None:
    """The table is advised for huge pages, and its memory is private, which these need."""
    table, record = Table(4), np.rec.array(np.zeros(1, RECORD))[0]
    table.attach(record)
    flags: dict[int, set[str]] = {}
    for row in Path("/proc/self/smaps").read_text().splitlines():
        head, *words = row.split()
        if "-" in head and not head.endswith(":"):
            start, end = (int(text, 16) for text in head.split("-"))
        elif head == "VmFlags:" and start <= int(record.table) < end:
            flags[start] = {*words}
    (found,) = flags.values()
    assert "hg" in found or not Path("/sys/kernel/mm/transparent_hugepage").exists()
    assert "sh" not in found
