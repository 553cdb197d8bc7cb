"""Principal variation search (Tony Marsland and Murray Campbell, 1982), fail-soft.

The first move of a PV node gets the whole window, the others a zero window that only asks
whether they are better. A *PV node* has a window wider than one: nothing there is cut off by
the table or searched below ``depth - 1`` with a full window, so the line it collects is
complete and was really searched, and its end notes the score that comes back from there.
"""

from typing import Any

import numpy as np

from engine.board.annotations import Depth, Flag, Move, MoveCount, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.cycle import may_repeat
from engine.board.makemove import unmake, unmake_null
from engine.board.move import is_noisy
from engine.board.position import POSITION
from engine.board.types import MAX_PLY, NO_MOVE
from engine.evaluation.nnue import evaluate, start
from engine.jit.kernel import entry, kernel
from engine.search.correction import expected_error, learn_correction
from engine.search.draws import DRAW, is_draw
from engine.search.history import (
    CLEARLY,
    MAX_TRIED,
    capture_history_of,
    history_of,
    remember_cutoff,
    remember_surprise,
)
from engine.search.picker import next_move, skip_quiets, start_picker, start_tactical_picker
from engine.search.probcut import SHALLOWER, may_probcut, probcut_beta, wins_enough
from engine.search.pruning import (
    VERIFIED,
    is_hopeless,
    loses_material,
    may_cut_off,
    may_pass_here,
    null_move_depth,
    stays_above,
)
from engine.search.quiescence import quiescence
from engine.search.reductions import in_hindsight, late_move_reduction, surprise
from engine.search.score import MATE, MATE_IN_MAX
from engine.search.singular import extension, may_be_singular, singular_beta
from engine.search.static import best_guess, is_improving, raw_score
from engine.search.thread import THREAD, play, play_null
from engine.search.thread_data import ThreadData
from engine.search.triangular import clear_row, end_row, mark_horizon, update_row
from engine.search.tt import EXACT, LOWER, UPPER, entry_move, entry_score, probe, save


@kernel
def pvs(
    pos: Position,
    th: ThreadData,
    ply: Ply,
    depth: Depth,
    alpha: Score,
    beta: Score,
    follow: Flag,
    may_pass: Flag,
    cut: Flag,
) -> Score:
    """Return the score of ``pos`` in centipawns for the side to move, ``depth`` plies deep.

    ``follow`` says that the path so far is the previous PV; ``may_pass`` that the last
    move was no null move, ``cut`` that a refutation is expected. After a stop the score is
    meaningless.
    """
    is_pv = beta - alpha > 1
    none, one = np.int64(0), np.int64(1)
    excluded = th.excluded[ply]
    # 1. A node that returns early must not leave an old line for its parent.
    if is_pv:
        clear_row(th, ply)
    if depth <= 0:
        score = quiescence(pos, th, ply, alpha, beta)
        if is_pv:
            mark_horizon(th, ply)
        return score
    # 2. The game or the search is over.
    if th.stop != 0 or is_draw(pos, ply):
        return end_row(th, ply, is_pv, DRAW)
    if ply >= MAX_PLY - 1:
        return end_row(th, ply, is_pv, evaluate(pos, th, ply))
    if is_pv:
        th.seldepth = max(th.seldepth, ply)
    in_check = pos.checkers != 0
    # 3. Mate distance: no line from here beats a shorter mate found elsewhere; and who can repeat
    # a position has a draw. A PV node keeps its window, or its children would have none to find
    # their line in.
    if not is_pv:
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha < DRAW and may_repeat(pos, ply):
            alpha = max(alpha, np.int64(DRAW))
        if alpha >= beta:
            return alpha

    # 4. Transposition table: cut off outside PV nodes, remember the move everywhere.
    data, table_move = NOTHING, np.int64(NO_MOVE)
    if th.clusters != 0:
        data = probe(th, pos.key)
        if data != NOTHING:
            table_move = entry_move(data)
            if excluded == NO_MOVE and may_cut_off(pos, th, ply, data, depth, alpha, beta):
                return entry_score(data, ply)
    # 5. Static score: the base of all guesses below.
    error = none if in_check else expected_error(pos, th)
    raw = raw_score(pos, th, ply, data)
    static = raw + error
    th.static[ply] = static
    guess, improving = best_guess(data, ply, static), is_improving(th, ply)
    previous_move = np.int64(NO_MOVE)
    if follow and ply < th.previous_length:
        previous_move = np.int64(th.previous_pv[ply])

    may_prune = th.selective and not is_pv and not in_check
    if may_prune and excluded == NO_MOVE:
        depth += in_hindsight(th, ply, static)
    th.reduced[ply + 1] = 0
    if may_prune and abs(beta) < MATE_IN_MAX and excluded == NO_MOVE:
        # 6. Reverse futility: far above beta, a shallow search will not fall below it.
        if stays_above(th, depth, guess, improving, beta):
            return (guess + beta) // 2
        # 7. Null move (Chrilly Donninger, 1993): if even passing holds beta, a move will.
        if may_pass and may_pass_here(pos, th, depth, static, guess, beta):
            reduced = null_move_depth(th, depth, guess - beta)
            th.doubled[ply + 1] = th.doubled[ply]
            play_null(pos, th, ply)
            score = -pvs(pos, th, ply + 1, reduced, -beta, 1 - beta, none, none, 1 - cut)
            unmake_null(pos)
            if th.stop != 0:
                return DRAW
            # In zugzwang passing looks too good: deep searches look again without it.
            if score >= beta and depth >= VERIFIED:
                score = pvs(pos, th, ply, reduced, beta - 1, beta, none, none, none)
                if th.stop != 0:
                    return DRAW
            if score >= beta:
                return beta if score >= MATE_IN_MAX else score
        # 8. ProbCut: a capture that holds far above beta in a shallow search.
        high = probcut_beta(th, beta)
        if may_probcut(data, ply, depth, high):
            start_tactical_picker(pos, th, ply)
            while True:
                move = next_move(pos, th, ply)
                if move == NO_MOVE:
                    break
                if not wins_enough(pos, move, high - static):
                    continue
                reduced = depth - SHALLOWER
                th.doubled[ply + 1] = th.doubled[ply]
                play(pos, th, ply, move)
                score = -quiescence(pos, th, ply + 1, -high, 1 - high)
                if score >= high:
                    score = -pvs(pos, th, ply + 1, reduced, -high, 1 - high, none, one, 1 - cut)
                unmake(pos)
                if th.stop != 0:
                    return DRAW
                if score >= high:
                    if th.clusters != 0:
                        lower = np.int64(LOWER)
                        save(th, pos.key, ply, reduced + 1, score, raw, lower, move)
                    return score
    # 9. Internal iterative reduction (Ed Schröder): without a move to try first, look less deep.
    if th.selective and not is_pv and depth >= 4 and table_move == NO_MOVE:
        depth -= 1
    # 10. Singular extension: is the table's move the only good one?
    extended = none
    if th.selective and excluded == NO_MOVE and may_be_singular(pos, th, data, ply, depth):
        low = singular_beta(th, data, ply, depth)
        th.excluded[ply] = table_move
        score = pvs(pos, th, ply, (depth - 1) // 2, low - 1, low, none, may_pass, cut)
        th.excluded[ply] = NO_MOVE
        if th.stop != 0:
            return DRAW
        if score < low:
            extended = extension(th, ply, is_pv, low - score)
        elif not is_pv and low >= beta:
            return low
        elif not is_pv and entry_score(data, ply) >= beta:
            extended = -one

    first_alpha = alpha
    best, best_move = np.int64(ply - MATE), np.int64(NO_MOVE)
    number, tried = np.int64(0), np.int64(0)
    start_picker(pos, th, ply, previous_move, table_move)
    while True:
        move = next_move(pos, th, ply)
        if move == NO_MOVE:
            break
        if move == excluded:
            continue
        number += 1
        quiet = not is_noisy(move)
        merit = history_of(pos, th, ply, move) if quiet else capture_history_of(pos, th, move)
        # 11. Hopeless moves near the leaves, once one move has escaped a mate.
        if may_prune and best > -MATE_IN_MAX:
            if quiet and is_hopeless(th, depth, number, guess, improving, alpha):
                skip_quiets(th, ply)
                continue
            if loses_material(pos, th, depth, move, quiet):
                continue
        if tried < MAX_TRIED:
            th.tried[ply, tried] = move
            tried += 1
        play(pos, th, ply, move)
        gives_check = pos.checkers != 0
        child_follows = np.int64(follow and move == previous_move)
        new_depth = depth - 1
        th.doubled[ply + 1] = th.doubled[ply]
        if move == table_move:
            new_depth += extended
            th.doubled[ply + 1] += extended == 2
        if is_pv and number == 1:
            score = -pvs(pos, th, ply + 1, new_depth, -beta, -alpha, child_follows, one, none)
        else:
            # 12. Late moves are searched less deep, and again if they surprise.
            reduction = np.int64(0)
            if th.selective and depth >= 3 and number > 2 and not in_check:
                reduction = late_move_reduction(
                    th, depth, number, quiet, is_pv, gives_check, improving, cut, merit
                )
                reduction = max(min(reduction, new_depth - 1), none)
            shallow = new_depth - reduction
            likely = one if number > 1 else 1 - cut
            th.reduced[ply + 1] = reduction
            score = -pvs(pos, th, ply + 1, shallow, -alpha - 1, -alpha, none, one, likely)
            th.reduced[ply + 1] = 0
            if score > alpha and reduction > 0:
                new_depth += surprise(th, score - best, is_pv)
                if new_depth > shallow:
                    score = -pvs(
                        pos, th, ply + 1, new_depth, -alpha - 1, -alpha, none, one, 1 - cut
                    )
                if quiet and th.stop == 0 and not alpha < score < beta:
                    remember_surprise(th, ply, depth, one if score >= beta else -one)
            if is_pv and alpha < score < beta:
                score = -pvs(pos, th, ply + 1, new_depth, -beta, -alpha, none, one, none)
        unmake(pos)
        if th.stop != 0:
            return DRAW

        # 13. A better move raises alpha; one that is too good refutes the parent's.
        if score > best:
            best = score
            if score > alpha:
                alpha, best_move = score, move
                if is_pv and score < beta:
                    update_row(th, ply, move)
                if score >= beta:
                    weight = depth + np.int64(score > beta + CLEARLY)
                    remember_cutoff(pos, th, ply, weight, move, tried)
                    break

    # 14. No legal move: mate or stalemate.
    if number == 0:
        if excluded != NO_MOVE:
            return alpha
        return end_row(th, ply, is_pv, np.int64(ply - MATE) if in_check else np.int64(DRAW))
    # 15. Remember what was found.
    if excluded != NO_MOVE:
        return best
    bound = LOWER if best >= beta else EXACT if best > first_alpha else UPPER
    if th.clusters != 0:
        save(th, pos.key, ply, depth, best, raw, bound, best_move)
    if not in_check and not is_noisy(best_move) and abs(best) < MATE_IN_MAX:
        learn_correction(pos, th, static, best, bound, depth)
    return best


@kernel
def search_root_move(
    pos: Position,
    th: ThreadData,
    move: Move,
    number: MoveCount,
    depth: Depth,
    alpha: Score,
    beta: Score,
) -> Score:
    """Search one root move, ``number`` from 1, and return its score for the side to move.

    A score inside the window is exact, and its line lies in row 0.
    """
    quiet = not is_noisy(move)
    in_check = pos.checkers != 0
    none, one = np.int64(0), np.int64(1)
    th.root_depth = depth
    clear_row(th, none)
    start(pos, th)
    error = none if in_check else expected_error(pos, th)
    th.static[0] = raw_score(pos, th, none, NOTHING) + error
    play(pos, th, none, move)
    follow = np.int64(th.previous_length > 0 and move == np.int64(th.previous_pv[0]))
    if number == 1:
        score = -pvs(pos, th, one, depth - 1, -beta, -alpha, follow, one, none)
    else:
        reduction = none
        if th.selective and depth >= 3 and number > 4 and quiet and not in_check:
            reduction = late_move_reduction(th, depth, number, quiet, True, False, one, none, none)
            reduction = max(min(reduction, depth - 2), none)
        score = -pvs(pos, th, one, depth - 1 - reduction, -alpha - 1, -alpha, none, one, one)
        if score > alpha and reduction > 0:
            score = -pvs(pos, th, one, depth - 1, -alpha - 1, -alpha, none, one, none)
        if alpha < score < beta:
            score = -pvs(pos, th, one, depth - 1, -beta, -alpha, follow, one, none)
    unmake(pos)
    if th.stop == 0 and alpha < score < beta:
        update_row(th, none, move)
    return score


@entry((POSITION, (1,)), (THREAD, (1,)), *[np.int64] * 5, longest=True)
def search_root(
    positions: Any,
    threads: Any,
    move: Move,
    number: MoveCount,
    depth: Depth,
    alpha: Score,
    beta: Score,
) -> Score:
    """Return what `search_root_move` does, for arrays of one record each."""
    return search_root_move(positions[0], threads[0], move, number, depth, alpha, beta)
