"""The line read from the transposition table: from the root, best move after best move.

It costs nothing in a search that has the table anyway, and it ends where an entry was
overwritten. An entry may come from another path, so every move is checked for legality, and
the walk ends at a repetition, after fifty moves or with bare kings: otherwise it could cycle,
or continue after the end of the game.
"""

from collections.abc import Callable

import numpy as np

from engine.board.annotations import Count, Depth, Key, Position
from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.position import insufficient_material, repeated
from engine.board.types import MAX_PLY, NO_MOVE
from engine.jit.kernel import instance, kernel
from engine.lab.collectors.collector import Collector, Handle
from engine.memory.records import Record

_FIELDS = (("walked", np.uint16, MAX_PLY), ("walked_length", np.int64))


@kernel
def recall(record: Record, key: Key) -> Count:
    """Return the table's move for ``key``; replaced for each table."""
    return NO_MOVE


def walk(record: Record, pos: Position, most: Count) -> Count:
    """Write up to ``most`` plies of the line to ``pos.moves`` and return their number."""
    length = np.int64(0)
    while length < most and length < MAX_PLY:
        move = np.int64(recall(record, pos.key))
        if move == NO_MOVE or not is_legal(pos, move):
            break
        make(pos, move)
        pos.moves[length] = move
        length += 1
        if repeated(pos, length, True) or pos.halfmove >= 100 or insufficient_material(pos):
            break
    for _ in range(length):
        unmake(pos)
    return length


def _finish(record: Record, pos: Position, depth: Depth, mine: Handle) -> None:
    record.walked_length = walk(record, pos, depth)
    for index in range(record.walked_length):
        record.walked[index] = pos.moves[index]


def hash_walk(
    name: str, recall: Callable[[Record, Key], Count], prepare: Callable[[Record], None]
) -> Collector:
    """Return the collector that walks the transposition table which ``recall(record, key)`` reads.

    ``prepare`` sets the replacement scheme of that table.
    """
    suffix = name.replace(", ", "_")
    steps = kernel(instance(walk, f"walk_{suffix}", recall=recall))
    return Collector(
        name,
        _FIELDS,
        lambda record: tuple(record.walked[: record.walked_length].tolist()),
        {"finish": kernel(instance(_finish, f"finish_{suffix}", walk=steps))},
        prepare,
        reads_table=True,
    )
