"""Singular extensions (Thomas Anantharaman, Murray Campbell and Feng-hsiung Hsu, 1988).

A table move that is far better than all others is extended. A search of the node without that
move, at half the depth and with a window below the table's score, decides. The extension is two
plies (double extension) if the others fail far below, and three if they fail farther below a quiet
move. If they reach beta too, the node fails high (multi-cut, Yngvi Björnsson and Tony Marsland,
2001). If the table move reaches beta, or some move is expected to, but it is not singular, it is
reduced by two plies.
"""

import numpy as np

from engine.board.annotations import Depth, Flag, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.legality import is_legal
from engine.board.types import NO_MOVE
from engine.jit.kernel import kernel
from engine.search.parameters import parameter
from engine.search.score import TB_WIN_IN_MAX
from engine.search.thread_data import Entry, ThreadData
from engine.search.tt import UPPER, entry_bound, entry_depth, entry_move, entry_score

_margin = parameter("SingularMargin", 13, 4, 48, 4)
_double_margin = parameter("DoubleMargin", 8, 0, 30, 3)
_triple_margin = parameter("TripleMargin", 30, 5, 100, 5)
_singular_depth = parameter("SingularDepth", 5, 3, 10, 1)

_MAX_DOUBLE = 6
"""The number of double extensions in one line."""


@kernel
def may_be_singular(pos: Position, th: ThreadData, tt_data: Entry, ply: Ply, depth: Depth) -> Flag:
    """Return whether the table move is worth a singular search.

    Not in a line that is already twice as long as the root depth.
    """
    return (
        depth >= _singular_depth(th)
        and ply < 2 * th.root_depth
        and tt_data != NOTHING
        and entry_depth(tt_data) >= depth - 3
        and entry_bound(tt_data) != UPPER
        and abs(entry_score(tt_data, ply)) < TB_WIN_IN_MAX
        and entry_move(tt_data) != NO_MOVE
        and is_legal(pos, entry_move(tt_data))
    )


@kernel
def singular_beta(th: ThreadData, tt_data: Entry, ply: Ply, depth: Depth) -> Score:
    """Return the score in centipawns that no other move may reach."""
    return entry_score(tt_data, ply) - _margin(th) * depth // 16


@kernel
def singular_extension(
    th: ThreadData, ply: Ply, is_pv: Flag, tt_noisy: Flag, short: Score
) -> Depth:
    """Return the extension in plies if all other moves are ``short`` centipawns below the bound."""
    if is_pv or short <= _double_margin(th) or th.double_extensions[ply] >= _MAX_DOUBLE:
        return np.int64(1)
    return np.int64(2 if tt_noisy or short <= _triple_margin(th) else 3)


@kernel
def negative_extension(tt_score: Score, beta: Score, cutnode: Flag) -> Depth:
    """Return the extension of a table move that is not singular, outside PV nodes (Stockfish)."""
    return np.int64(-2 if cutnode or tt_score >= beta else 0)
