"""The order of the root moves before any was searched: that of the moves of any other node."""

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Count, Position
from engine.board.bitboard import NOTHING
from engine.board.position import POSITION
from engine.board.types import MAX_MOVES, NO_MOVE
from engine.jit.kernel import entry
from engine.search.picker import next_move, start_picker
from engine.search.thread import THREAD
from engine.search.thread_data import ThreadData
from engine.search.tt import entry_move, probe

MOVE_LIST = np.dtype((np.uint16, (MAX_MOVES,)))
"""Room for the moves of a position."""


@entry(POSITION, THREAD, MOVE_LIST)
def order_root_moves(pos: Position, th: ThreadData, moves: NDArray[np.uint16]) -> Count:
    """Write the legal moves to ``moves`` as the picker gives them; return their number.

    A search begins with it: see `engine.search.root_move.search_root_move`.

    The table's move comes first, then captures by value, quiet moves by history, and captures
    that lose material.
    """
    root, tt_move = np.int64(0), np.int64(NO_MOVE)
    th.root_ready = 0
    if th.clusters != 0:
        tt_data = probe(th, pos.key)
        if tt_data != NOTHING:
            tt_move = entry_move(tt_data)
    start_picker(pos, th, root, np.int64(NO_MOVE), tt_move)
    count = 0
    while True:
        move = next_move(pos, th, root)
        if move == NO_MOVE:
            return count
        moves[count] = move
        count += 1
