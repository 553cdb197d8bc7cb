"""A small table for PV nodes only, in addition to the transposition table, as in Glass.

PV nodes are rare, so few compete for a slot, and none is overwritten by zero-window nodes. It
holds the best move of each exact node; the line is walked as in
`engine.lab.collectors.hash_walk`.
"""

import numpy as np

from engine.board.annotations import Depth, Flag, Key, Move, Ply, Position
from engine.board.bitboard import U64
from engine.board.types import MAX_PLY, NO_MOVE
from engine.jit.kernel import instance, kernel
from engine.lab.collectors import hash_walk
from engine.lab.collectors.collector import Collector, Handle
from engine.memory.records import Record

BITS = 12
_MASK = U64((1 << BITS) - 1)


@kernel
def _recall(record: Record, key: Key) -> Move:
    slot = np.int64(key & _MASK)
    return np.int64(record.pv_move[slot]) if record.pv_key[slot] == key else np.int64(NO_MOVE)


@kernel
def _leave(
    record: Record, ply: Ply, key: Key, depth: Depth, move: Move, exact: Flag, mine: Handle
) -> None:
    if exact:
        slot = np.int64(key & _MASK)
        foreign = record.pv_key[slot] != key or record.pv_move[slot] != move
        if foreign and record.pv_move[slot] != NO_MOVE:
            record.pv_overwritten += 1
        record.pv_key[slot] = key
        record.pv_move[slot] = move


_steps = kernel(instance(hash_walk.walk, "walk_pv_hash", recall=_recall))


@kernel
def _finish(record: Record, pos: Position, depth: Depth, mine: Handle) -> None:
    record.pv_walked_length = _steps(record, pos, depth)
    for index in range(record.pv_walked_length):
        record.pv_walked[index] = pos.moves[index]


def _prepare(record: Record) -> None:
    record.pv_move[:] = NO_MOVE
    record.pv_overwritten = 0


PV_HASH = Collector(
    "pv_hash",
    (
        ("pv_key", np.uint64, 1 << BITS),
        ("pv_move", np.uint16, 1 << BITS),
        ("pv_overwritten", np.int64),
        ("pv_walked", np.uint16, MAX_PLY),
        ("pv_walked_length", np.int64),
    ),
    lambda record: tuple(record.pv_walked[: record.pv_walked_length].tolist()),
    {"leave": _leave, "finish": _finish},
    _prepare,
)
"""``pv_overwritten`` counts the entries replaced by another move or position."""
