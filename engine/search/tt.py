"""The transposition table (Richard Greenblatt, 1967): 16-byte entries, four to a cache line,
shared without locks.

An entry is two words, ``key ^ data`` and ``data``: a torn write matches no key (Robert
Hyatt and Tim Mann, 2002). ``data`` holds move (16 bits), score (16), static eval (16),
depth (8), bound (2), whether the node is or was a PV node (1) and age (5). A search record carries
the table's address and size, so no kernel touches a Python object.
"""

import mmap
import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Count, Depth, Flag, Key, Move, Ply, Score
from engine.board.bitboard import NOTHING, U64
from engine.jit.intrinsics import load, prefetch, store
from engine.jit.kernel import kernel
from engine.memory.available import is_available
from engine.memory.large_pages import allocate
from engine.memory.records import Field, Record
from engine.search.score import MATE_IN_MAX, TB_WIN, TB_WIN_IN_MAX
from engine.search.thread_data import Entry, ThreadData

UPPER, LOWER, EXACT = 1, 2, 3
"""Bounds: the true score is at most, at least, exactly the stored one."""

NO_SCORE = -32768
"""Stands in place of the static eval of a position in check."""

TABLE_FIELDS: list[Field] = [
    ("table", np.int64),
    ("clusters", np.uint64),
    ("age", np.int64),
]
"""Fields by which a record reaches the table: address, number of clusters, current age."""

AGES = 32
"""The number of different ages, before they wrap around."""

CLUSTER_BYTES = 64
_SLOTS = CLUSTER_BYTES // 16
_MAX_CLUSTERS = 1 << 32

ENTRY = np.dtype([("check", np.uint64), ("data", np.uint64)])
"""An entry as numpy copies it; ``check`` is ``key ^ data``."""

_ENTRIES_AT_A_TIME = 1 << 19
"""Few calls of numpy, and little memory."""

_WORD16, _HALF = U64(0xFFFF), U64(32)
_SCORE, _STATIC, _DEPTH, _BOUND, _PV, _AGE = U64(16), U64(32), U64(48), U64(56), U64(58), U64(59)


class Table:
    """The memory of a transposition table; it must outlive every search that uses it."""

    def __init__(self, megabytes: int) -> None:
        """Allocate zeroed memory; raises `MemoryError` if the machine has too little memory."""
        if not is_available(megabytes):
            raise MemoryError(f"not enough memory for a hash table of {megabytes} MiB")
        self._words = allocate(megabytes << 20).view(np.uint64)
        self._clusters = min(self._words.nbytes // CLUSTER_BYTES, _MAX_CLUSTERS)
        self.megabytes = megabytes
        self.age = 0
        self._fresh, self._touched = True, False

    def attach(self, record: Record) -> None:
        """Make a search thread's ``record`` use this table."""
        self._fresh = False
        record.table = self._words.ctypes.data
        record.clusters = self._clusters
        record.age = self.age

    def new_search(self) -> None:
        """Start a new search: entries of earlier ones may be replaced."""
        self.age = (self.age + 1) % AGES

    def clear(self, threads: int = 1) -> None:
        """Clear the table, with so many ``threads``: numpy writes without the GIL.

        Memory that was never used is not touched.
        """
        if not self._fresh:
            _wipe(self._words, threads)
            self.age = 0
            self._fresh = self._touched = True

    def prefault(self, threads: int = 1) -> None:
        """Fault in a fresh table's pages now, so that the first search does not pay for it.

        It takes a quarter of a second or more for each GiB.
        """
        if self._fresh and not self._touched:
            _wipe(self._words[:: mmap.PAGESIZE // self._words.itemsize], threads)
            self._touched = True

    def hashfull(self) -> int:
        """Return the share of entries stored by this search, in permille of a sample of 1,000."""
        data = self._words[1:2000:2]
        current = (data >> _AGE == self.age) & (data != 0)
        return int(current.sum()) * 1000 // len(data)

    def entries(self) -> Iterator[NDArray[np.void]]:
        """Yield all entries in the order of their clusters, in arrays of `ENTRY`."""
        table = self._words.view(ENTRY)
        for start in range(0, len(table), _ENTRIES_AT_A_TIME):
            part = table[start : start + _ENTRIES_AT_A_TIME]
            yield part[part["data"] != NOTHING]

    def insert(self, entries: NDArray[np.void]) -> None:
        """Store entries of a table of any size, in the order in which its `entries` yields them.

        The table must be empty at first. If it has the same size, it becomes an exact copy; a
        smaller one keeps the deepest entries of each cluster. The upper half of a key gives its
        cluster in a table of any size, so only the first one here may have entries already.
        """
        if not len(entries):
            return
        data = entries["data"]
        cluster = ((entries["check"] ^ data) >> _HALF) * U64(self._clusters) >> _HALF
        order = np.argsort(cluster, kind="stable")
        cluster = cluster[order].astype(np.int64)
        places, starts = np.arange(len(order)), np.append(True, cluster[1:] != cluster[:-1])
        slot = places - np.maximum.accumulate(np.where(starts, places, 0))
        table = self._words.view(ENTRY)
        first = table["data"].reshape(-1, _SLOTS)[cluster[0]]
        slot[cluster == cluster[0]] += np.count_nonzero(first)
        fits = slot < _SLOTS
        if not fits.all():
            by_depth = np.argsort(255 - (data[order] >> _DEPTH & U64(0xFF)), kind="stable")
            order = order[by_depth[np.argsort(cluster[by_depth], kind="stable")]][fits]
            cluster, slot = cluster[fits], slot[fits]
        table[cluster * _SLOTS + slot] = entries[order]
        self._fresh = False


class NoTable:
    """A stand-in for a table: nothing is stored."""

    megabytes = age = 0

    def attach(self, record: Record) -> None:
        """Make ``record`` search without a table."""
        record.clusters = 0

    def new_search(self) -> None:
        """Do nothing."""

    def clear(self, threads: int = 1) -> None:
        """Do nothing."""

    def prefault(self, threads: int = 1) -> None:
        """Do nothing."""

    def hashfull(self) -> int:
        """Return 0."""
        return 0

    def entries(self) -> Iterator[NDArray[np.void]]:
        """Yield nothing."""
        return iter(())

    def insert(self, entries: NDArray[np.void]) -> None:
        """Do nothing."""


def _wipe(words: NDArray[np.uint64], threads: int) -> None:
    """Zero ``words``, a part in each thread."""
    first, *others = np.array_split(words, threads)
    wipers = []
    for part in others:
        wiper = threading.Thread(target=part.fill, args=(0,))
        try:
            wiper.start()
        except RuntimeError:  # the system allows no more threads
            part.fill(0)
        else:
            wipers.append(wiper)
    first.fill(0)
    for wiper in wipers:
        wiper.join()


@kernel
def _cluster(th: ThreadData, key: Key) -> Count:
    index = ((key >> _HALF) * th.clusters) >> _HALF
    return th.table + np.int64(index) * CLUSTER_BYTES


@kernel
def prefetch_entry(th: ThreadData, key: Key) -> None:
    """Prefetch the cluster of ``key``."""
    prefetch(_cluster(th, key))


@kernel
def probe(th: ThreadData, key: Key) -> Entry:
    """Return the data stored under ``key``; zero for none."""
    address = _cluster(th, key)
    for _ in range(4):
        data = load(address + 8)
        if load(address) ^ data == key and data != NOTHING:
            return data
        address += 16
    return NOTHING


@kernel
def entry_move(data: Entry) -> Move:
    """Return the best move of an entry, possibly none."""
    return np.int64(data & _WORD16)


@kernel
def entry_score(data: Entry, ply: Ply) -> Score:
    """Return the score of an entry; mates and wins by tablebases count from the root."""
    score = np.int64((data >> _SCORE) & _WORD16) - 32768
    if score >= TB_WIN_IN_MAX:
        return score - ply
    if score <= -TB_WIN_IN_MAX:
        return score + ply
    return score


@kernel
def entry_static(data: Entry) -> Score:
    """Return the static eval of an entry in centipawns, or ``NO_SCORE``."""
    return np.int64((data >> _STATIC) & _WORD16) - 32768


@kernel
def entry_depth(data: Entry) -> Depth:
    """Return the depth of an entry, in plies."""
    return np.int64((data >> _DEPTH) & U64(0xFF))


@kernel
def entry_bound(data: Entry) -> Count:
    """Return the bound of an entry."""
    return np.int64((data >> _BOUND) & U64(3))


@kernel
def entry_was_pv(data: Entry) -> Count:
    """Return 1 if the node of an entry is or was a PV node, else 0."""
    return np.int64((data >> _PV) & U64(1))


@kernel
def _keep_value(data: Entry, age: Count) -> Count:
    """Return how much an entry is worth keeping: most if it is deep, exact and young."""
    if data == NOTHING:
        return -1000
    older = (age - np.int64(data >> _AGE)) & (AGES - 1)
    return entry_depth(data) + (3 if entry_bound(data) == EXACT else 0) - 8 * older


@kernel
def save(
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
    """Store a result; it replaces the least valuable entry of the cluster.

    An entry of the same position is kept if its value (by depth, bound and age) is at least four
    plies above the new depth, unless the new result is exact. Scores of mates and of wins by
    tablebases are stored as distances from this position.
    """
    address = _cluster(th, key)
    chosen = address
    least: Count = 1000
    for _ in range(4):
        data = load(address + 8)
        if load(address) ^ data == key and data != NOTHING:
            if move == 0:
                move = entry_move(data)
            if bound != EXACT and depth + 4 <= _keep_value(data, th.age):
                return
            chosen = address
            break
        value = _keep_value(data, th.age)
        if value < least:
            chosen, least = address, value
        address += 16
    if score >= TB_WIN_IN_MAX:
        score = score + ply if score >= MATE_IN_MAX else min(score + ply, np.int64(TB_WIN))
    elif score <= -TB_WIN_IN_MAX:
        score = score - ply if score <= -MATE_IN_MAX else max(score - ply, np.int64(-TB_WIN))
    data = (
        U64(move)
        | U64(score + 32768) << _SCORE
        | U64(static + 32768) << _STATIC
        | U64(depth) << _DEPTH
        | U64(bound) << _BOUND
        | U64(was_pv) << _PV
        | U64(th.age) << _AGE
    )
    store(chosen, key ^ data)
    store(chosen + 8, data)
