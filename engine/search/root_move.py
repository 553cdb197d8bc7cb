"""The search of one root move: the kernel that the loops over depths and windows call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Depth, Move, MoveCount, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.makemove import unmake
from engine.board.move import is_noisy
from engine.board.position import POSITION
from engine.evaluation.nnue import start
from engine.jit.kernel import entry, kernel
from engine.search.correction import correction_value
from engine.search.history import capture_history, quiet_history, update_threats
from engine.search.pvs import CUT, NOT_CUT, NULL_ALLOWED, OFF_PV, pvs
from engine.search.reductions import base_reduction, late_move_reduction, may_reduce
from engine.search.score import INFINITE
from engine.search.static_eval import raw_evaluation
from engine.search.thread import THREAD, play
from engine.search.thread_data import ThreadData
from engine.search.triangular import clear_row, update_row

_PV_NODE, _NO_CHECK, _QUIET_TT_MOVE = np.bool_(True), np.bool_(False), np.bool_(False)


@kernel
def _prepare(pos: Position, th: ThreadData) -> None:
    """Compute once a search what all root moves share: accumulators, evaluation and threats."""
    root = np.int64(0)
    start(pos, th)
    th.root_eval = raw_evaluation(pos, th, root, NOTHING)
    update_threats(pos, th, root)
    th.root_ready = 1


@kernel
def search_root_move(
    pos: Position,
    th: ThreadData,
    move: Move,
    move_count: MoveCount,
    depth: Depth,
    alpha: Score,
    beta: Score,
) -> Score:
    """Search the root move ``move_count`` (from 1), and return its score for the side to move.

    A score inside the window is exact, and its line is in row 0. ``th.failed_high`` is that of a
    zero window at the full depth, if it is above ``alpha``: it holds even if the search is then
    stopped.
    """
    quiet = not is_noisy(move)
    in_check = pos.checkers != 0
    root, child = np.int64(0), np.int64(1)
    th.root_depth = depth
    th.failed_high = -INFINITE
    th.tt_pv[root] = 1
    th.cutoffs[1] = th.cutoffs[2] = 0
    clear_row(th, root)
    if th.root_ready == 0:
        _prepare(pos, th)
    correction = np.int64(0) if in_check else correction_value(pos, th, root)
    th.static_eval[0] = th.root_eval + correction
    history_score = quiet_history(pos, th, root, move) if quiet else capture_history(pos, th, move)
    play(pos, th, root, move)
    on_previous_pv = np.int64(th.previous_length > 0 and move == np.int64(th.previous_pv[0]))
    if move_count == 1:
        score = -pvs(
            pos, th, child, depth - 1, -beta, -alpha, on_previous_pv, NULL_ALLOWED, NOT_CUT
        )
    else:
        reduction = np.int64(0)
        if th.selective and may_reduce(th, depth, move_count, _PV_NODE):
            reduction = late_move_reduction(
                th,
                root,
                base_reduction(th, depth, move_count, quiet, _PV_NODE, np.int64(1)),
                in_check,
                _NO_CHECK,
                NOT_CUT,
                _QUIET_TT_MOVE,
                history_score,
                correction,
            )
            reduction = max(min(reduction, depth - 2), np.int64(0))
        score = -pvs(
            pos,
            th,
            child,
            depth - 1 - reduction,
            -alpha - 1,
            -alpha,
            OFF_PV,
            NULL_ALLOWED,
            CUT,
        )
        if score > alpha and reduction > 0:
            score = -pvs(
                pos,
                th,
                child,
                depth - 1,
                -alpha - 1,
                -alpha,
                OFF_PV,
                NULL_ALLOWED,
                NOT_CUT,
            )
        if th.stop == 0 and score > alpha:
            th.failed_high = score
        if alpha < score < beta:
            score = -pvs(
                pos, th, child, depth - 1, -beta, -alpha, on_previous_pv, NULL_ALLOWED, NOT_CUT
            )
    unmake(pos)
    if th.stop == 0 and alpha < score < beta:
        update_row(th, root, move)
    return score


@entry((POSITION, (1,)), (THREAD, (1,)), *[np.int64] * 5, longest=True)
def search_root(
    positions: NDArray[Any],
    threads: NDArray[Any],
    move: Move,
    move_count: MoveCount,
    depth: Depth,
    alpha: Score,
    beta: Score,
) -> Score:
    """Call `search_root_move` with the only record of each array: see `array_of`."""
    return search_root_move(positions[0], threads[0], move, move_count, depth, alpha, beta)
