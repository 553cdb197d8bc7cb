"""Perft: the number of leaf positions, the classic proof of a move generator."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine.board.annotations import Count, Depth, Position
from engine.board.bitboard import U64
from engine.board.makemove import make, unmake
from engine.board.movegen import generate, legal_moves
from engine.board.position import POSITION, new_position
from engine.board.splitmix import GOLDEN
from engine.board.types import ALL_MOVES, MAX_MOVES, MAX_PLY
from engine.jit.intrinsics import load, store
from engine.jit.kernel import entry, kernel
from engine.memory.available import is_available
from engine.memory.large_pages import allocate
from engine.memory.records import copy_record
from engine.memory.stop_signal import NEVER, Signal, has_ended

_ABANDONED = -1
"""Stands in place of a count after the stop signal."""

_ENTRY_BYTES = 16


class Counts:
    """A table of counts, shared without locks: a torn entry matches no key.

    An entry is two words: the key XOR the count, and the count.
    """

    def __init__(self, megabytes: int = 0) -> None:
        """Allocate up to ``megabytes``: a power of two of entries; `MemoryError` if it cannot."""
        self.entries = 1 << ((megabytes << 20) // _ENTRY_BYTES).bit_length() - 1 if megabytes else 0
        if not is_available(self.entries * _ENTRY_BYTES >> 20):
            raise MemoryError(f"not enough memory for a perft hash table of {megabytes} MiB")
        self._words = allocate(self.entries * _ENTRY_BYTES)

    @property
    def address(self) -> int:
        """The address of the table; 0 if it has no entries."""
        return self._words.ctypes.data if self.entries else 0


@kernel
def _count(pos: Position, depth: Depth, start: Count, signal: Count) -> Count:
    if depth > 1 and has_ended(signal):
        return np.int64(_ABANDONED)
    end = generate(pos, start, np.int64(ALL_MOVES))
    if depth <= 1:
        return end - start
    leaves = np.int64(0)
    for index in range(start, end):
        make(pos, np.int64(pos.moves[index]))
        behind = _count(pos, depth - 1, start + MAX_MOVES, signal)
        unmake(pos)
        if behind < 0:
            return behind
        leaves += behind
    return leaves


@kernel
def _look_up(
    pos: Position, depth: Depth, start: Count, signal: Count, table: Count, mask: Count
) -> Count:
    """Return the count of `_count`, using the table; only complete counts are stored."""
    if depth <= 1:
        return _count(pos, depth, start, signal)
    if has_ended(signal):
        return np.int64(_ABANDONED)
    key = pos.key ^ U64(depth) * GOLDEN
    address = table + np.int64(key & U64(mask)) * _ENTRY_BYTES
    known = load(address + 8)
    if load(address) ^ known == key:
        return np.int64(known)
    end = generate(pos, start, np.int64(ALL_MOVES))
    leaves = np.int64(0)
    for index in range(start, end):
        make(pos, np.int64(pos.moves[index]))
        behind = _look_up(pos, depth - 1, start + MAX_MOVES, signal, table, mask)
        unmake(pos)
        if behind < 0:
            return behind
        leaves += behind
    store(address, key ^ U64(leaves))
    store(address + 8, U64(leaves))
    return leaves


@entry(POSITION, np.int64, np.int64, np.int64, np.int64)
def _perft(pos: Position, depth: Depth, signal: Count, table: Count, mask: Count) -> Count:
    if depth <= 0:
        return np.int64(1)
    if table == 0:
        return _count(pos, depth, np.int64(0), signal)
    return _look_up(pos, depth, np.int64(0), signal, table, mask)


def perft(
    pos: Position, depth: int, counts: Counts | None = None, signal: Signal = NEVER
) -> int | None:
    """Return the number of leaves ``depth`` plies below ``pos``; the last ply is bulk-counted.

    ``None`` if the ``signal`` ended it. Raises `ValueError` for a depth beyond `MAX_PLY`, where
    the move lists end.
    """
    if depth > MAX_PLY:
        raise ValueError(f"perft depth is limited to {MAX_PLY} plies")
    table, mask = (counts.address, counts.entries - 1) if counts else (0, 0)
    leaves = int(_perft(pos, depth, signal.address, table, mask))
    return None if leaves == _ABANDONED else leaves


def divide(
    pos: Position, depth: int, threads: int = 1, megabytes: int = 0, signal: Signal = NEVER
) -> Iterator[tuple[int, int]]:
    """Yield each legal move with the leaves behind it, ``depth`` at least 1.

    The ``threads`` divide the replies among them and share one table of ``megabytes`` MiB. The
    ``signal`` ends it within milliseconds; moves that are not completely counted are left out.
    Raises what `perft` and `Counts` raise.
    """
    shared, tasks = (Counts(megabytes), signal), list[tuple[int, list[tuple[int, ...]]]]()
    for move in legal_moves(pos):
        make(pos, move)
        parted = threads > 1 and depth > 2
        tasks.append((move, [(move, reply) for reply in legal_moves(pos)] if parted else [(move,)]))
        unmake(pos)
    pool = ThreadPoolExecutor(threads)
    try:
        parts = [
            (move, [pool.submit(_leaves_behind, pos, path, depth, *shared) for path in paths])
            for move, paths in tasks
        ]
        for move, futures in parts:
            leaves = 0
            for future in futures:
                found = future.result()
                if found is None:
                    return
                leaves += found
            yield move, leaves
    finally:
        pool.shutdown(cancel_futures=True)


def _leaves_behind(
    root: Position, path: Sequence[int], depth: int, counts: Counts, signal: Signal
) -> int | None:
    """Count the leaves after the moves of ``path``, on a position of its own."""
    pos = new_position()
    copy_record(pos, root)
    for move in path:
        make(pos, move)
    return perft(pos, depth - len(path), counts, signal)
