"""A hash table of whole lines (Robert Hyatt, 1998; ICGA Journal 37, 2014).

It completes lines that a cut-off by the transposition table shortens. An exact node stores its line
under its key, folded to a few bits; when the table later ends a PV node with an exact
score, its line is fetched from here. The full key is stored with each line, so that another
position's line is never used. Lines are collected triangularly.
"""

import numpy as np

from engine.board.annotations import Count, Depth, Flag, Key, Move, Ply
from engine.board.bitboard import U64
from engine.board.types import MAX_PLY
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle
from engine.lab.collectors.triangles import enter_pv, improve_row
from engine.memory.records import Record
from engine.search.triangular import PV_FIELDS, line, row_start

BITS = 12
MAX_LINE_LENGTH = 32
"""The most moves of a stored line; longer lines are rare, and truncated."""

_16, _32, _BITS, _MASK = U64(16), U64(32), U64(BITS), U64((1 << BITS) - 1)


@kernel
def fold(key: Key) -> Count:
    """Return the index of ``key``: all of its bits, folded to `BITS`."""
    key ^= key >> _32
    key ^= key >> _16
    return np.int64((key ^ key >> _BITS) & _MASK)


@kernel
def store_line(record: Record, ply: Ply, key: Key) -> None:
    """Store row ``ply`` as the line of the position ``key``; always replace."""
    slot, start = fold(key), row_start(ply)
    length = min(record.pv_length[ply], MAX_LINE_LENGTH)
    record.store_key[slot] = key
    record.store_length[slot] = length
    for index in range(length):
        record.store_line[slot, index] = record.pv[start + index]


@kernel
def fetch_line(record: Record, ply: Ply, key: Key) -> None:
    """Copy the line stored for ``key`` to row ``ply``, if there is one."""
    slot, start = fold(key), row_start(ply)
    if record.store_key[slot] == key:
        length = min(np.int64(record.store_length[slot]), MAX_PLY - ply)
        for index in range(length):
            record.pv[start + index] = record.store_line[slot, index]
        record.pv_length[ply] = length


@kernel
def _cut(record: Record, ply: Ply, key: Key, mine: Handle) -> None:
    fetch_line(record, ply, key)


@kernel
def _leave(
    record: Record, ply: Ply, key: Key, depth: Depth, move: Move, exact: Flag, mine: Handle
) -> None:
    if exact:
        store_line(record, ply, key)


def _prepare(record: Record) -> None:
    record.store_length[:] = 0


HASH_STORE = Collector(
    "hash_store",
    (
        *PV_FIELDS,
        ("store_key", np.uint64, 1 << BITS),
        ("store_length", np.int64, 1 << BITS),
        ("store_line", np.uint16, (1 << BITS, MAX_LINE_LENGTH)),
    ),
    line,
    {"enter": enter_pv, "improve": improve_row, "cut": _cut, "leave": _leave},
    _prepare,
)
