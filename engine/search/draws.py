"""Draws by rule, as the search sees them: one repetition is enough."""

import numpy as np

from engine.board.annotations import Flag, Ply, Position, Score
from engine.board.movegen import generate
from engine.board.position import insufficient_material, repeated
from engine.board.types import ALL_MOVES, MAX_MOVES
from engine.jit.kernel import kernel
from engine.search.thread_data import ThreadData

DRAW = np.int64(0)
"""The score of a drawn game without contempt."""


@kernel
def draw_score(pos: Position, th: ThreadData) -> Score:
    """Return the score of a drawn game for the side to move, 0 unless there is contempt."""
    return th.draw_score[pos.side]


@kernel
def is_draw(pos: Position, ply: Ply, inside: Flag) -> Flag:
    """Return whether the game is drawn by repetition, fifty moves or insufficient material.

    A mate on the hundredth ply is a mate. ``inside``: see `engine.board.position.repeated`.
    """
    if pos.halfmove >= 100:
        start = ply * MAX_MOVES
        return pos.checkers == 0 or generate(pos, start, np.int64(ALL_MOVES)) > start
    return repeated(pos, ply, inside) or insufficient_material(pos)
