"""Principal variation search (Tony Marsland and Murray Campbell, 1982), fail-soft.

The first move of a PV node gets the full window, the others a zero window that only decides
whether they are better. A *PV node* has a window wider than one: nothing there is cut off by
the table or searched below ``depth - 1`` with a full window, so the line it collects is
complete and was really searched, and its end stores the value found there.
"""

import numpy as np

from engine.board.annotations import Depth, Flag, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.checks import gives_check
from engine.board.cycle import has_upcoming_repetition
from engine.board.makemove import unmake, unmake_null
from engine.board.move import is_noisy
from engine.board.types import MAX_PLY, NO_MOVE
from engine.evaluation.nnue import evaluate
from engine.jit.kernel import kernel
from engine.search.correction import correction_value, update_correction
from engine.search.draws import DRAW, draw_score, is_draw
from engine.search.history import (
    CLEAR_CUTOFF_MARGIN,
    MAX_TRIED,
    capture_history,
    quiet_history,
    update_after_fail_low,
    update_after_tt_cutoff,
    update_by_eval_change,
    update_histories,
    update_lmr_history,
)
from engine.search.picker import is_killer, next_move, skip_quiets, start_noisy_picker, start_picker
from engine.search.probcut import PROBCUT_REDUCTION, may_probcut, probcut_beta, probcut_see
from engine.search.pruning import (
    NULL_VERIFICATION_DEPTH,
    futility,
    history_pruning,
    late_move_pruning,
    noisy_futility,
    null_move_allowed,
    null_move_depth,
    pruning_depth,
    reverse_futility,
    see_prune_noisy,
    see_prune_quiet,
    tt_cutoff,
)
from engine.search.quiescence import quiescence
from engine.search.reductions import (
    base_reduction,
    deeper_or_shallower,
    hindsight_extension,
    iir,
    late_move_reduction,
    may_reduce,
)
from engine.search.score import MATE, TB_WIN_IN_MAX
from engine.search.singular import (
    may_be_singular,
    negative_extension,
    singular_beta,
    singular_extension,
)
from engine.search.static_eval import is_improving, raw_evaluation, tt_adjusted_eval
from engine.search.table_probe import save_table_score, table_score
from engine.search.thread import play, play_null
from engine.search.thread_data import ThreadData
from engine.search.triangular import clear_row, end_row, mark_horizon, update_row
from engine.search.tt import (
    EXACT,
    LOWER,
    NO_SCORE,
    UPPER,
    entry_move,
    entry_score,
    entry_was_pv,
    probe,
    save,
)

OFF_PV = np.int64(0)
NO_NULL, NULL_ALLOWED = np.int64(0), np.int64(1)
NOT_CUT, CUT = np.int64(0), np.int64(1)
"""Flags for calls of `pvs`. A literal, or a global ``True``, would compile it once more."""


@kernel
def pvs(
    pos: Position,
    th: ThreadData,
    ply: Ply,
    depth: Depth,
    alpha: Score,
    beta: Score,
    on_previous_pv: Flag,
    allow_null: Flag,
    cutnode: Flag,
) -> Score:
    """Return the score of ``pos`` in centipawns for the side to move, ``depth`` plies deep.

    ``on_previous_pv`` says that the path so far is the previous PV; ``allow_null`` that the last
    move was no null move, ``cutnode`` that a fail-high is expected. After a stop the score is
    meaningless.
    """
    is_pv = beta - alpha > 1
    excluded = th.excluded[ply]
    # 1. Clear the line first: a node that returns early must not leave an old one.
    if is_pv:
        clear_row(th, ply)
        th.seldepth = max(th.seldepth, ply)
    if depth <= 0:
        score = quiescence(pos, th, ply, alpha, beta)
        if is_pv:
            mark_horizon(th, ply)
        return score
    # 2. End of the game or of the search.
    if th.stop != 0 or is_draw(pos, ply, th.proving == 0):
        return end_row(th, ply, is_pv, draw_score(pos, th))
    if ply >= MAX_PLY - 1:
        return end_row(th, ply, is_pv, evaluate(pos, th, ply))
    in_check = pos.checkers != 0
    # 3. Mate distance pruning, and upcoming repetition, which is at least a draw. A PV node keeps
    # its window, so that its children can find their lines.
    if not is_pv:
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        drawn = draw_score(pos, th)
        if alpha < drawn and th.proving == 0 and has_upcoming_repetition(pos, ply):
            alpha = max(alpha, drawn)
        if alpha >= beta:
            return alpha

    # 4. Transposition table: a cut-off outside PV nodes, a move to try first everywhere.
    tt_data, tt_move = NOTHING, np.int64(NO_MOVE)
    if th.clusters != 0:
        tt_data = probe(th, pos.key)
        if tt_data != NOTHING:
            tt_move = entry_move(tt_data)
            if excluded == NO_MOVE and tt_cutoff(pos, th, ply, tt_data, depth, alpha, beta):
                score = entry_score(tt_data, ply)
                if score >= beta:
                    update_after_tt_cutoff(pos, th, ply, depth, tt_move)
                return score
    if excluded == NO_MOVE:
        th.tt_pv[ply] = is_pv or entry_was_pv(tt_data)
    tt_pv = th.tt_pv[ply]
    # Tablebases cut off the same nodes; the line of a PV node ends with their value at its end.
    if th.tb_probe != 0 and excluded == NO_MOVE:
        score = table_score(pos, th, ply, depth, alpha, beta)
        if score != NO_SCORE:
            if th.clusters != 0:
                save_table_score(pos, th, ply, depth, score)
            return score
    # 5. Static evaluation, for the pruning below.
    correction = np.int64(0) if in_check else correction_value(pos, th, ply)
    raw_eval = raw_evaluation(pos, th, ply, tt_data)
    static_eval = raw_eval + correction
    th.static_eval[ply] = static_eval
    if not in_check and excluded == NO_MOVE:
        update_by_eval_change(pos, th, ply, static_eval)
    tt_eval, improving = tt_adjusted_eval(tt_data, ply, static_eval), is_improving(th, ply)
    previous_move = np.int64(NO_MOVE)
    if on_previous_pv and ply < th.previous_length:
        previous_move = np.int64(th.previous_pv[ply])

    may_prune = th.selective and not is_pv and not in_check
    if may_prune and excluded == NO_MOVE:
        depth += hindsight_extension(th, ply, static_eval)
        th.reduction[ply] = 0  # a search that verifies this node does not extend it again
    th.reduction[ply + 1] = 0
    th.cutoffs[ply + 2] = 0
    if may_prune and abs(beta) < TB_WIN_IN_MAX and excluded == NO_MOVE:
        # 6. Reverse futility: the evaluation is far above beta.
        if reverse_futility(th, depth, tt_eval, improving, correction, beta):
            return (tt_eval + beta) // 2
        # 7. Null move (Chrilly Donninger, 1993): if passing fails high, a move will.
        if allow_null and null_move_allowed(pos, th, depth, static_eval, tt_eval, beta):
            reduced = null_move_depth(th, depth, tt_eval - beta)
            th.double_extensions[ply + 1] = th.double_extensions[ply]
            play_null(pos, th, ply)
            score = -pvs(pos, th, ply + 1, reduced, -beta, 1 - beta, OFF_PV, NO_NULL, 1 - cutnode)
            unmake_null(pos)
            if th.stop != 0:
                return DRAW
            # In zugzwang passing looks too good: deep searches are verified without it.
            if score >= beta and depth >= NULL_VERIFICATION_DEPTH:
                score = pvs(pos, th, ply, reduced, beta - 1, beta, OFF_PV, NO_NULL, NOT_CUT)
                if th.stop != 0:
                    return DRAW
            if score >= beta:
                return beta if score >= TB_WIN_IN_MAX else score
        # 8. ProbCut: a capture that fails far above beta in a shallow search.
        probcut_bound = probcut_beta(th, beta)
        if may_probcut(tt_data, ply, depth, probcut_bound):
            start_noisy_picker(pos, th, ply)
            while True:
                move = next_move(pos, th, ply)
                if move == NO_MOVE:
                    break
                if not probcut_see(pos, move, probcut_bound - static_eval):
                    continue
                reduced = depth - PROBCUT_REDUCTION
                th.double_extensions[ply + 1] = th.double_extensions[ply]
                play(pos, th, ply, move)
                score = -quiescence(pos, th, ply + 1, -probcut_bound, 1 - probcut_bound)
                if score >= probcut_bound:
                    score = -pvs(
                        pos,
                        th,
                        ply + 1,
                        reduced,
                        -probcut_bound,
                        1 - probcut_bound,
                        OFF_PV,
                        NULL_ALLOWED,
                        1 - cutnode,
                    )
                unmake(pos)
                if th.stop != 0:
                    return DRAW
                if score >= probcut_bound:
                    if th.clusters != 0:
                        lower = np.int64(LOWER)
                        save(th, pos.key, ply, reduced + 1, score, raw_eval, lower, move, tt_pv)
                    return score
    # 9. Internal iterative reduction, without a move to try first.
    if th.selective and not is_pv and tt_move == NO_MOVE:
        depth -= iir(th, depth, cutnode)
    # 10. Singular extension: is the table's move the only good one?
    extension = np.int64(0)
    tt_noisy = tt_move != NO_MOVE and is_noisy(tt_move)
    if th.selective and excluded == NO_MOVE and may_be_singular(pos, th, tt_data, ply, depth):
        singular_bound = singular_beta(th, tt_data, ply, depth)
        th.excluded[ply] = tt_move
        score = pvs(
            pos,
            th,
            ply,
            (depth - 1) // 2,
            singular_bound - 1,
            singular_bound,
            OFF_PV,
            allow_null,
            cutnode,
        )
        th.excluded[ply] = NO_MOVE
        if th.stop != 0:
            return DRAW
        if score < singular_bound:
            extension = singular_extension(th, ply, is_pv, tt_noisy, singular_bound - score)
        elif not is_pv:
            if score >= beta and abs(score) < TB_WIN_IN_MAX:
                return score
            extension = negative_extension(entry_score(tt_data, ply), beta, cutnode)

    original_alpha = alpha
    best, best_move = np.int64(ply - MATE), np.int64(NO_MOVE)
    move_count, tried = np.int64(0), np.int64(0)
    start_picker(pos, th, ply, previous_move, tt_move)
    while True:
        move = next_move(pos, th, ply)
        if move == NO_MOVE:
            break
        if move == excluded:
            continue
        move_count += 1
        quiet = not is_noisy(move)
        history_score = (
            quiet_history(pos, th, ply, move) if quiet else capture_history(pos, th, move)
        )
        reduction = base_reduction(th, depth, move_count, quiet, is_pv, improving)
        # 11. Prune moves by their depth after reduction, once one has avoided a proved loss.
        if th.selective and not in_check and best > -TB_WIN_IN_MAX:
            lmr_depth = pruning_depth(th, depth, reduction, history_score * quiet)
            if quiet:
                late = late_move_pruning(th, depth, move_count, improving)
                if (
                    late
                    or futility(th, lmr_depth, tt_eval, alpha)
                    or history_pruning(th, depth, lmr_depth, history_score)
                ) and not gives_check(pos, move):
                    # A killer may have less history than the moves after it.
                    if late or not is_killer(th, ply, move):
                        skip_quiets(pos, th, ply)
                    continue
                if see_prune_quiet(pos, th, depth, lmr_depth, move):
                    continue
            elif noisy_futility(
                pos, th, lmr_depth, move, history_score, tt_eval, alpha
            ) or see_prune_noisy(pos, th, depth, move, history_score):
                continue
        if tried < MAX_TRIED:
            th.tried[ply, tried] = move
            tried += 1
        play(pos, th, ply, move)
        checks = pos.checkers != 0
        child_on_previous_pv = np.int64(on_previous_pv and move == previous_move)
        new_depth = depth - 1
        th.double_extensions[ply + 1] = th.double_extensions[ply]
        if move == tt_move:
            new_depth += extension
            th.double_extensions[ply + 1] += extension >= 2
        if is_pv and move_count == 1:
            score = -pvs(
                pos,
                th,
                ply + 1,
                new_depth,
                -beta,
                -alpha,
                child_on_previous_pv,
                NULL_ALLOWED,
                NOT_CUT,
            )
        else:
            # 12. Late move reductions, with a re-search at full depth after a fail-high.
            if th.selective and may_reduce(th, depth, move_count, is_pv):
                reduction = late_move_reduction(
                    th,
                    ply,
                    reduction,
                    in_check,
                    checks,
                    cutnode,
                    tt_noisy,
                    history_score,
                    correction,
                )
                reduction = max(min(reduction, new_depth - 1), np.int64(0))
            else:
                reduction = np.int64(0)
            shallow = new_depth - reduction
            child_cutnode = CUT if move_count > 1 else 1 - cutnode
            th.reduction[ply + 1] = reduction
            score = -pvs(
                pos,
                th,
                ply + 1,
                shallow,
                -alpha - 1,
                -alpha,
                OFF_PV,
                NULL_ALLOWED,
                child_cutnode,
            )
            th.reduction[ply + 1] = 0
            if score > alpha and reduction > 0:
                new_depth += deeper_or_shallower(th, score - best, is_pv)
                if new_depth > shallow:
                    score = -pvs(
                        pos,
                        th,
                        ply + 1,
                        new_depth,
                        -alpha - 1,
                        -alpha,
                        OFF_PV,
                        NULL_ALLOWED,
                        1 - cutnode,
                    )
                if quiet and th.stop == 0 and not alpha < score < beta:
                    update_lmr_history(th, ply, depth, np.int64(1 if score >= beta else -1))
            if is_pv and alpha < score < beta:
                score = -pvs(
                    pos,
                    th,
                    ply + 1,
                    new_depth,
                    -beta,
                    -alpha,
                    OFF_PV,
                    NULL_ALLOWED,
                    NOT_CUT,
                )
        unmake(pos)
        if th.stop != 0:
            return DRAW

        # 13. A better move raises alpha; at beta the node fails high.
        if score > best:
            best = score
            if score > alpha:
                alpha, best_move = score, move
                if is_pv and score < beta:
                    update_row(th, ply, move)
                if score >= beta:
                    th.cutoffs[ply] += 1
                    weight = depth + np.int64(score > beta + CLEAR_CUTOFF_MARGIN)
                    update_histories(pos, th, ply, weight, move, tried)
                    break

    # 14. No legal move: mate or stalemate.
    if move_count == 0:
        if excluded != NO_MOVE:
            return alpha
        return end_row(th, ply, is_pv, ply - MATE if in_check else draw_score(pos, th))
    # 15. Store the result.
    if excluded != NO_MOVE:
        return best
    bound = LOWER if best >= beta else EXACT if best > original_alpha else UPPER
    if bound == UPPER:
        update_after_fail_low(pos, th, ply, depth, best)
    if th.clusters != 0:
        # After a node that fails low under one on a PV, the move to here is probably good.
        if bound == UPPER and depth > 3:
            tt_pv |= th.tt_pv[ply - 1]
        save(th, pos.key, ply, depth, best, raw_eval, bound, best_move, tt_pv)
    if not in_check and not is_noisy(best_move) and abs(best) < TB_WIN_IN_MAX:
        update_correction(pos, th, ply, static_eval, best, bound, depth)
    return best
