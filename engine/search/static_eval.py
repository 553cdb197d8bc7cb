"""The static evaluation of a node, refined by the table, and whether it improves (Stockfish)."""

import numpy as np

from engine.board.annotations import Count, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.evaluation.nnue import evaluate
from engine.jit.kernel import kernel
from engine.search.score import TB_WIN_IN_MAX
from engine.search.thread_data import Entry, ThreadData
from engine.search.tt import EXACT, LOWER, NO_SCORE, UPPER, entry_bound, entry_score, entry_static


@kernel
def raw_evaluation(pos: Position, th: ThreadData, ply: Ply, tt_data: Entry) -> Score:
    """Return the evaluation, from the table if stored there; `NO_SCORE` in check."""
    if pos.checkers != NOTHING:
        return np.int64(NO_SCORE)
    if tt_data != NOTHING and entry_static(tt_data) != NO_SCORE:
        return entry_static(tt_data)
    return evaluate(pos, th, ply)


@kernel
def is_improving(th: ThreadData, ply: Ply) -> Count:
    """Return 1 if the evaluation is better than at the side's previous move, else 0."""
    static_eval = th.static_eval[ply]
    return np.int64(
        static_eval != NO_SCORE
        and ply >= 2
        and th.static_eval[ply - 2] != NO_SCORE
        and static_eval > th.static_eval[ply - 2]
    )


@kernel
def tt_adjusted_eval(tt_data: Entry, ply: Ply, static_eval: Score) -> Score:
    """Return the table's score if its bound makes it the better estimate, else ``static_eval``."""
    if static_eval == NO_SCORE or tt_data == NOTHING:
        return static_eval
    score, bound = entry_score(tt_data, ply), entry_bound(tt_data)
    tells = bound == EXACT or bound == (LOWER if score > static_eval else UPPER)
    return score if tells and abs(score) < TB_WIN_IN_MAX else static_eval
