"""Perft: the number of leaf positions, the classic proof of a move generator."""

from typing import Any

import numpy as np

from engine.board.makemove import make, unmake
from engine.board.movegen import generate
from engine.board.position import POSITION
from engine.board.types import ALL_MOVES, MAX_MOVES, MAX_PLY
from engine.kernel import entry, kernel


@kernel
def _count(pos: Any, depth: Any, start: Any) -> Any:
    end = generate(pos, start, np.int64(ALL_MOVES))
    if depth <= 1:
        return end - start
    leaves = 0
    for index in range(start, end):
        make(pos, np.int64(pos.moves[index]))
        leaves += _count(pos, depth - 1, start + MAX_MOVES)
        unmake(pos)
    return leaves


@entry(POSITION, np.int64)
def _perft(pos: Any, depth: Any) -> Any:
    return _count(pos, depth, np.int64(0)) if depth > 0 else np.int64(1)


def perft(pos: Any, depth: int) -> int:
    """Return the number of leaves ``depth`` plies below ``pos``; the last ply is only counted.

    Raises `ValueError` for a depth beyond `MAX_PLY`, where the move lists end.
    """
    if depth > MAX_PLY:
        raise ValueError(f"perft goes no deeper than {MAX_PLY} plies")
    return int(_perft(pos, depth))
