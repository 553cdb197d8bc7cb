"""The static score of a node: what it rests on, what it says of the line, what the table adds.

Whether the side to move is improving was Stockfish's question first.
"""

import numpy as np

from engine.board.annotations import Count, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.evaluation.nnue import evaluate
from engine.jit.kernel import kernel
from engine.search.score import MATE_IN_MAX
from engine.search.thread_data import Entry, ThreadData
from engine.search.tt import EXACT, LOWER, NO_SCORE, UPPER, entry_bound, entry_score, entry_static


@kernel
def raw_score(pos: Position, th: ThreadData, ply: Ply, data: Entry) -> Score:
    """Return the evaluation, from the table's ``data`` where it is known; `NO_SCORE` in check."""
    if pos.checkers != NOTHING:
        return np.int64(NO_SCORE)
    if data != NOTHING and entry_static(data) != NO_SCORE:
        return entry_static(data)
    return evaluate(pos, th, ply)


@kernel
def is_improving(th: ThreadData, ply: Ply) -> Count:
    """Return 1 where the side to move stands better than a move ago, else 0."""
    static = th.static[ply]
    return np.int64(
        static != NO_SCORE
        and ply >= 2
        and th.static[ply - 2] != NO_SCORE
        and static > th.static[ply - 2]
    )


@kernel
def best_guess(data: Entry, ply: Ply, static: Score) -> Score:
    """Return the table's score where it says more than the ``static`` one, else that."""
    if static == NO_SCORE or data == NOTHING:
        return static
    score, bound = entry_score(data, ply), entry_bound(data)
    tells = bound == EXACT or bound == (LOWER if score > static else UPPER)
    return score if tells and abs(score) < MATE_IN_MAX else static
