"""Tablebases inside the search: a position in the tables need not be searched.

WDL values are exact right after a capture or pawn move, a *zeroing move*. Until the next one the
value is that of the game that continues from there, so the score counts the plies to it. A win is
only a lower bound, since there may be a mate, and a loss an upper bound.
"""

import numpy as np

from engine.board.annotations import Depth, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.position import POSITION, occupancy
from engine.board.types import MAX_MOVES, MAX_PLY, NO_MOVE
from engine.jit.intrinsics import caller, popcount
from engine.jit.kernel import kernel
from engine.memory.records import Field
from engine.search.draws import draw_score
from engine.search.score import TB_WIN, TB_WIN_IN_MAX
from engine.search.thread_data import ThreadData
from engine.search.tt import EXACT, LOWER, NO_SCORE, UPPER, save
from engine.syzygy.decoding import UNKNOWN
from engine.syzygy.probing import DRAWN, probe_wdl

TABLEBASE_FIELDS: list[Field] = [
    ("tb_probe", np.int64),
    ("tb_tables", np.int64),
    ("tb_cache", np.int64),
    ("tb_pieces", np.int64),
    ("tb_depth", np.int64),
    ("tb_fifty", np.int64),
    ("tb_hits", np.int64),
    ("tb_values", np.int64, MAX_PLY + 2),
]
"""Fields of a record for probing: the addresses of the machine code (0 if nothing is probed), of
the tables and of the thread's cache; the most pieces; the least depth for positions with as many;
whether the fifty-move rule holds; the number of successful probes; and by ply the value known
since the last zeroing move."""

_probe_at = caller(probe_wdl, POSITION)

_SAVED = 1
"""The bit that is set in the values of games that the fifty-move rule saves."""

_DEEPER = 6
"""Plies by which a value from the tables outweighs a searched one in the transposition table."""


@kernel
def table_score(
    pos: Position, th: ThreadData, ply: Ply, depth: Depth, alpha: Score, beta: Score
) -> Score:
    """Return the score with which the tables cut off the node, `NO_SCORE` if they do not.

    They never cut off a PV node with ``depth`` left. At ``depth`` 0 its line ends with their value,
    except in check, which may be mate. A game that the fifty-move rule saves stays a draw until its
    next zeroing move.
    """
    nothing, is_pv = np.int64(NO_SCORE), beta - alpha > 1
    zeroing = ply - pos.halfmove
    if zeroing == ply:
        th.tb_values[ply] = UNKNOWN
    pieces = popcount(occupancy(pos))
    if pieces > th.tb_pieces or zeroing < 0 or pos.castling != 0:
        return nothing
    if pieces == th.tb_pieces and depth < th.tb_depth and not is_pv:
        return nothing
    if zeroing < ply and th.tb_values[zeroing] == UNKNOWN:
        return nothing
    value = _probe_at(th.tb_probe, pos, th.tb_tables, th.tb_cache, ply * MAX_MOVES)
    if zeroing == ply:
        th.tb_values[ply] = value
    if value == UNKNOWN:
        return nothing
    th.tb_hits += 1
    score, drawn = draw_score(pos, th), True
    if th.tb_fifty == 0 or (value | th.tb_values[zeroing]) & _SAVED == 0:
        if value > DRAWN:
            score, drawn = TB_WIN - zeroing, False
        elif value < DRAWN:
            score, drawn = zeroing - TB_WIN, False
    if is_pv:
        ends = depth == 0 and pos.checkers == NOTHING
    else:
        ends = drawn or (score >= beta if value > DRAWN else score <= alpha)
    return score if ends else nothing


@kernel
def save_table_score(pos: Position, th: ThreadData, ply: Ply, depth: Depth, score: Score) -> None:
    """Store the score of the tables, as a bound if it is a win or a loss."""
    decided = abs(score) >= TB_WIN_IN_MAX
    bound = np.int64((LOWER if score > 0 else UPPER) if decided else EXACT)
    stored = min(depth + _DEEPER, np.int64(MAX_PLY - 1))
    no_eval, no_move = np.int64(NO_SCORE), np.int64(NO_MOVE)
    save(th, pos.key, ply, stored, score, no_eval, bound, no_move, th.tt_pv[ply])
