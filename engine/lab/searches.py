"""The plain searches: no pruning but alpha-beta's own, and no quiescence search.

They are templates: `engine.lab.laboratory` makes an instance of each for every collector, with
that collector's hooks. They share no code, so that each reads as in the literature. Each tries
the previous iteration's line first, and is a reference for cleverer searches.
"""

from collections.abc import Callable

import numpy as np

from engine.board.annotations import Depth, Flag, Ply, Position, Score
from engine.board.makemove import unmake
from engine.board.move import is_noisy
from engine.board.types import NO_MOVE
from engine.evaluation.nnue import start
from engine.lab.collectors.collector import (
    Handle,
    after_child,
    allocate,
    before_child,
    child_handle,
    cut,
    enter,
    finish,
    improve,
    leave,
    refute,
)
from engine.lab.lab_record import LabData
from engine.lab.table import first_move, follows, keep, leaf_score, look_up, settles, step
from engine.search.draws import DRAW
from engine.search.history import update_histories
from engine.search.picker import next_move, start_picker
from engine.search.score import INFINITE, MATE
from engine.search.tt import EXACT, LOWER, UPPER, entry_move, entry_score


def minimax(pos: Position, lab: LabData, ply: Ply, depth: Depth, mine: Handle) -> Score:
    """Return the score of ``pos`` for the side that moves at the root, by plain minimax.

    The two functions of a textbook in one, since kernels must not call each other: at even
    plies it is ``max``, at odd ones ``min``.
    """
    maximizes = ply & 1 == 0
    sign = np.int64(1 if maximizes else -1)
    enter(lab, ply, True, mine)
    score = leaf_score(pos, lab, ply, depth)
    if score != INFINITE:
        return sign * score
    best, best_move = -sign * INFINITE, np.int64(NO_MOVE)
    child = allocate(child_handle(lab, ply, mine))
    start_picker(pos, lab, ply, np.int64(NO_MOVE), np.int64(NO_MOVE))
    while True:
        move = next_move(pos, lab, ply)
        if move == NO_MOVE:
            break
        before_child(lab, ply, move, child)
        step(pos, lab, ply, move)
        score = minimax(pos, lab, ply + 1, depth - 1, child)
        unmake(pos)
        if lab.stop != 0:
            return np.int64(DRAW)
        after_child(lab, ply, move, child)
        if (score > best) if maximizes else (score < best):
            best, best_move = score, move
            improve(lab, ply, move, mine, child)
    if best_move == NO_MOVE:
        return sign * (ply - MATE) if pos.checkers != 0 else np.int64(DRAW)
    keep(pos, lab, ply, depth, sign * best, np.int64(EXACT), best_move)
    leave(lab, ply, pos.key, depth, best_move, True, mine)
    return best


def fail_hard(
    pos: Position,
    lab: LabData,
    ply: Ply,
    depth: Depth,
    alpha: Score,
    beta: Score,
    follow: Flag,
    mine: Handle,
) -> Score:
    """Return the score of ``pos`` for the side to move, never outside the window.

    Alpha-beta as Donald Knuth and Ronald Moore (1975) analysed it first.
    """
    enter(lab, ply, beta - alpha > 1, mine)
    score = leaf_score(pos, lab, ply, depth)
    if score != INFINITE:
        return min(max(score, alpha), beta)
    data = look_up(pos, lab, ply)
    if settles(pos, lab, data, ply, depth, alpha, beta):
        score = entry_score(data, ply)
        if alpha < score < beta:
            cut(lab, ply, pos.key, mine)
        return min(max(score, alpha), beta)
    best_move, number = np.int64(NO_MOVE), np.int64(0)
    hint = first_move(lab, ply, follow)
    child = allocate(child_handle(lab, ply, mine))
    start_picker(pos, lab, ply, hint, entry_move(data))
    while True:
        move = next_move(pos, lab, ply)
        if move == NO_MOVE:
            break
        number += 1
        before_child(lab, ply, move, child)
        step(pos, lab, ply, move)
        followed = follows(lab, ply, follow, move, hint)
        score = -fail_hard(pos, lab, ply + 1, depth - 1, -beta, -alpha, followed, child)
        unmake(pos)
        if lab.stop != 0:
            return np.int64(DRAW)
        after_child(lab, ply, move, child)
        if score >= beta:
            refute(lab, ply, move, mine, child)
            if not is_noisy(move):
                update_histories(pos, lab, ply, depth, move, np.int64(0))
            keep(pos, lab, ply, depth, beta, np.int64(LOWER), move)
            leave(lab, ply, pos.key, depth, move, False, mine)
            return beta
        if score > alpha:
            alpha, best_move = score, move
            improve(lab, ply, move, mine, child)
    if number == 0:
        return min(max(ply - MATE if pos.checkers != 0 else DRAW, alpha), beta)
    exact = best_move != NO_MOVE
    keep(pos, lab, ply, depth, alpha, np.int64(EXACT if exact else UPPER), best_move)
    leave(lab, ply, pos.key, depth, best_move, exact, mine)
    return alpha


def fail_soft(
    pos: Position,
    lab: LabData,
    ply: Ply,
    depth: Depth,
    alpha: Score,
    beta: Score,
    follow: Flag,
    mine: Handle,
) -> Score:
    """Return the score of ``pos`` for the side to move, outside the window a bound of it.

    (John Fishburn, 1983.) A node that fails low has a best move here too, but that is only
    the one whose upper bound is highest.
    """
    enter(lab, ply, beta - alpha > 1, mine)
    score = leaf_score(pos, lab, ply, depth)
    if score != INFINITE:
        return score
    data = look_up(pos, lab, ply)
    if settles(pos, lab, data, ply, depth, alpha, beta):
        score = entry_score(data, ply)
        if alpha < score < beta:
            cut(lab, ply, pos.key, mine)
        return score
    best, best_move = np.int64(-INFINITE), np.int64(NO_MOVE)
    exact: Flag = False
    hint = first_move(lab, ply, follow)
    child = allocate(child_handle(lab, ply, mine))
    start_picker(pos, lab, ply, hint, entry_move(data))
    while True:
        move = next_move(pos, lab, ply)
        if move == NO_MOVE:
            break
        before_child(lab, ply, move, child)
        step(pos, lab, ply, move)
        followed = follows(lab, ply, follow, move, hint)
        score = -fail_soft(pos, lab, ply + 1, depth - 1, -beta, -alpha, followed, child)
        unmake(pos)
        if lab.stop != 0:
            return np.int64(DRAW)
        after_child(lab, ply, move, child)
        if score > best:
            best, best_move = score, move
            if score >= beta:
                refute(lab, ply, move, mine, child)
                if not is_noisy(move):
                    update_histories(pos, lab, ply, depth, move, np.int64(0))
                break
            if score > alpha:
                alpha, exact = score, True
                improve(lab, ply, move, mine, child)
    if best_move == NO_MOVE:
        return np.int64(ply - MATE if pos.checkers != 0 else DRAW)
    exact = exact and best < beta
    bound = np.int64(LOWER if best >= beta else EXACT if exact else UPPER)
    keep(pos, lab, ply, depth, best, bound, best_move)
    leave(lab, ply, pos.key, depth, best_move, exact, mine)
    return best


def pvs(
    pos: Position,
    lab: LabData,
    ply: Ply,
    depth: Depth,
    alpha: Score,
    beta: Score,
    follow: Flag,
    mine: Handle,
) -> Score:
    """Return the score of ``pos`` for the side to move, outside the window a bound of it.

    Principal variation search (Tony Marsland and Murray Campbell, 1982): all moves but the
    first must beat a zero window before they get the whole one. Without a table and with
    the whole window at the root it is stable: the second search always confirms the first.
    """
    is_pv = beta - alpha > 1
    enter(lab, ply, is_pv, mine)
    score = leaf_score(pos, lab, ply, depth)
    if score != INFINITE:
        return score
    data = look_up(pos, lab, ply)
    if settles(pos, lab, data, ply, depth, alpha, beta):
        score = entry_score(data, ply)
        if alpha < score < beta:
            cut(lab, ply, pos.key, mine)
        return score
    none, number = np.int64(0), np.int64(0)
    best, best_move = np.int64(-INFINITE), np.int64(NO_MOVE)
    exact: Flag = False
    hint = first_move(lab, ply, follow)
    child = allocate(child_handle(lab, ply, mine))
    start_picker(pos, lab, ply, hint, entry_move(data))
    while True:
        move = next_move(pos, lab, ply)
        if move == NO_MOVE:
            break
        number += 1
        before_child(lab, ply, move, child)
        step(pos, lab, ply, move)
        followed = follows(lab, ply, follow, move, hint)
        if number == 1:
            score = -pvs(pos, lab, ply + 1, depth - 1, -beta, -alpha, followed, child)
        else:
            late = np.int64(lab.selective != 0 and number > 3 and depth > 2)
            score = -pvs(pos, lab, ply + 1, depth - 1 - late, -alpha - 1, -alpha, followed, child)
            if score > alpha and (late or score < beta):
                score = -pvs(pos, lab, ply + 1, depth - 1, -beta, -alpha, none, child)
        unmake(pos)
        if lab.stop != 0:
            return np.int64(DRAW)
        after_child(lab, ply, move, child)
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if score >= beta:
                    refute(lab, ply, move, mine, child)
                    if not is_noisy(move):
                        update_histories(pos, lab, ply, depth, move, np.int64(0))
                    break
                alpha, exact = score, True
                improve(lab, ply, move, mine, child)
    if number == 0:
        return np.int64(ply - MATE if pos.checkers != 0 else DRAW)
    exact = exact and best < beta
    bound = np.int64(LOWER if best >= beta else EXACT if exact else UPPER)
    keep(pos, lab, ply, depth, best, bound, best_move)
    leave(lab, ply, pos.key, depth, best_move, exact, mine)
    return best


search: Callable[..., Score] = fail_hard
"""The search that the roots below call: `instance` replaces it by any of those above."""


def root(pos: Position, lab: LabData, depth: Depth, alpha: Score, beta: Score) -> Score:
    """Search one iteration in a window and return its score."""
    zero, one = np.int64(0), np.int64(1)
    start(pos, lab)
    mine = allocate(child_handle(lab, np.int64(-1), zero))
    score = search(pos, lab, zero, depth, alpha, beta, one, mine)
    finish(lab, pos, depth, mine)
    return score


def minimax_root(pos: Position, lab: LabData, depth: Depth, alpha: Score, beta: Score) -> Score:
    """Search one iteration; the window is ignored."""
    zero = np.int64(0)
    start(pos, lab)
    mine = allocate(child_handle(lab, np.int64(-1), zero))
    score = search(pos, lab, zero, depth, mine)
    finish(lab, pos, depth, mine)
    return score


def mtdf_root(pos: Position, lab: LabData, depth: Depth, alpha: Score, beta: Score) -> Score:
    """Search one iteration by zero windows that converge to the score (Aske Plaat, 1994)."""
    zero, one = np.int64(0), np.int64(1)
    start(pos, lab)
    mine = allocate(child_handle(lab, np.int64(-1), zero))
    score = lab.guess
    while alpha < beta and lab.stop == 0:
        bound = max(score, alpha + 1)
        score = search(pos, lab, zero, depth, bound - 1, bound, one, mine)
        if score < bound:
            beta = score
        else:
            alpha = score
    finish(lab, pos, depth, mine)
    return score
