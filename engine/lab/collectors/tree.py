"""Lines in a binary search tree, so that nothing is overwritten (Steven Edwards, 2011).

An exact node becomes a *cell*: its best move and the cell of the position after it. Cells
come from a preallocated pool and never change their content, so a line stays whole. They are
ordered by the full key; of several cells for one position the newest is in the tree,
where a cut-off by the transposition table finds it. Lines are linked, not copied.
When the pool is full, no more cells are made, and ``tree_full`` counts the refusals.
"""

import numpy as np

from engine.board.annotations import Count, Depth, Flag, Key, Move, Ply
from engine.board.types import MAX_PLY
from engine.jit.kernel import kernel
from engine.lab.collectors.collector import Collector, Handle, Line
from engine.memory.records import Record

CELLS = 1 << 16
NONE = 0
"""No cell: cell 0 is never used."""


@kernel
def find(record: Record, key: Key) -> Count:
    """Return the cell of the position ``key``, or none."""
    cell = np.int64(record.tree_root)
    while cell != NONE and record.tree_key[cell] != key:
        cell = np.int64(
            record.tree_left[cell] if key < record.tree_key[cell] else record.tree_right[cell]
        )
    return cell


@kernel
def insert(record: Record, key: Key, move: Move, next_cell: Count) -> Count:
    """Return the cell of ``key`` with this content, or a new one; none when the pool is full."""
    parent, cell = np.int64(NONE), np.int64(record.tree_root)
    while cell != NONE and record.tree_key[cell] != key:
        parent = cell
        cell = np.int64(
            record.tree_left[cell] if key < record.tree_key[cell] else record.tree_right[cell]
        )
    if cell != NONE and record.tree_move[cell] == move and record.tree_next[cell] == next_cell:
        return cell
    if record.tree_size + 1 >= record.tree_limit:
        record.tree_full += 1
        return np.int64(NONE)
    record.tree_size += 1
    new = np.int64(record.tree_size)
    record.tree_key[new] = key
    record.tree_move[new] = move
    record.tree_next[new] = next_cell
    # The new cell replaces the old one in the tree; lines may still refer to the old one.
    record.tree_left[new] = NONE if cell == NONE else record.tree_left[cell]
    record.tree_right[new] = NONE if cell == NONE else record.tree_right[cell]
    if parent == NONE:
        record.tree_root = new
    elif key < record.tree_key[parent]:
        record.tree_left[parent] = new
    else:
        record.tree_right[parent] = new
    return new


@kernel
def _enter(record: Record, ply: Ply, is_pv: Flag, mine: Handle) -> None:
    if is_pv:
        record.tree_head[ply] = NONE


@kernel
def _improve(record: Record, ply: Ply, move: Move, mine: Handle, child: Handle) -> None:
    record.tree_tail[ply] = record.tree_head[ply + 1]


@kernel
def _cut(record: Record, ply: Ply, key: Key, mine: Handle) -> None:
    record.tree_head[ply] = find(record, key)


@kernel
def _leave(
    record: Record, ply: Ply, key: Key, depth: Depth, move: Move, exact: Flag, mine: Handle
) -> None:
    if exact:
        record.tree_head[ply] = insert(record, key, move, np.int64(record.tree_tail[ply]))


def _prepare(record: Record) -> None:
    record.tree_root = record.tree_size = record.tree_full = 0
    record.tree_limit = CELLS


def _line(record: Record) -> Line:
    moves, cell = [], int(record.tree_head[0])
    while cell != NONE:
        moves.append(int(record.tree_move[cell]))
        cell = int(record.tree_next[cell])
    return tuple(moves)


TREE = Collector(
    "tree",
    (
        ("tree_key", np.uint64, CELLS),
        ("tree_left", np.int32, CELLS),
        ("tree_right", np.int32, CELLS),
        ("tree_next", np.int32, CELLS),
        ("tree_move", np.uint16, CELLS),
        ("tree_head", np.int32, MAX_PLY + 1),
        ("tree_tail", np.int32, MAX_PLY + 1),
        ("tree_root", np.int64),
        ("tree_size", np.int64),
        ("tree_limit", np.int64),
        ("tree_full", np.int64),
    ),
    _line,
    {"enter": _enter, "improve": _improve, "cut": _cut, "leave": _leave},
    _prepare,
)
