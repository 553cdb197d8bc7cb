"""Quiescence search (Claude Shannon, 1950): captures and promotions until the position is quiet,
evasions in check.

It sees mate and stalemate. The score of a line that ends here is the value of its last position: a
mate, a draw, or its static eval after correction history.
"""

import numpy as np

from engine.board.annotations import Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.makemove import unmake
from engine.board.movegen import is_stalemate
from engine.board.types import MAX_MOVES, MAX_PLY, NO_MOVE
from engine.evaluation.nnue import evaluate
from engine.jit.kernel import kernel
from engine.search.correction import correction_value
from engine.search.draws import DRAW, draw_score, is_draw
from engine.search.picker import next_move, start_noisy_picker
from engine.search.pruning import tt_cutoff
from engine.search.score import MATE
from engine.search.static_eval import raw_evaluation
from engine.search.table_probe import table_score
from engine.search.thread import play
from engine.search.thread_data import ThreadData
from engine.search.triangular import clear_row, end_row, update_row
from engine.search.tt import LOWER, NO_SCORE, UPPER, entry_score, entry_was_pv, probe, save


@kernel
def quiescence(pos: Position, th: ThreadData, ply: Ply, alpha: Score, beta: Score) -> Score:
    """Return the score of ``pos`` in centipawns after captures that win material.

    Fail-soft. In a window wider than one the line is kept in the row of ``ply``.
    """
    is_pv = beta - alpha > 1
    if is_pv:
        clear_row(th, ply)
        th.seldepth = max(th.seldepth, ply)
    if th.stop != 0 or is_draw(pos, ply, th.proving == 0):
        return end_row(th, ply, is_pv, draw_score(pos, th))
    if ply >= MAX_PLY - 1:
        return end_row(th, ply, is_pv, evaluate(pos, th, ply))

    # Mate distance pruning: a nearer mate is known, or none can be as near.
    if not is_pv and (MATE - ply - 1 <= alpha or ply - MATE >= beta):
        return alpha if MATE - ply - 1 <= alpha else beta

    # Work that does not need the table comes first, while its entry is loaded into the cache.
    in_check = pos.checkers != 0
    correction = np.int64(0)
    if not in_check:
        if is_stalemate(pos, ply * MAX_MOVES):
            return end_row(th, ply, is_pv, draw_score(pos, th))
        correction = correction_value(pos, th, ply)
    tt_data = NOTHING
    if th.clusters != 0:
        tt_data = probe(th, pos.key)
        if tt_data != NOTHING and tt_cutoff(pos, th, ply, tt_data, np.int64(0), alpha, beta):
            return entry_score(tt_data, ply)
    if th.tb_probe != 0:
        score = table_score(pos, th, ply, np.int64(0), alpha, beta)
        if score != NO_SCORE:
            return end_row(th, ply, is_pv, score)
    raw_eval = raw_evaluation(pos, th, ply, tt_data)
    leaf, no_move, was_pv = np.int64(0), np.int64(NO_MOVE), entry_was_pv(tt_data)
    best = ply - MATE
    if not in_check:
        best = raw_eval + correction
        if best >= beta:
            if th.clusters != 0 and tt_data == NOTHING:
                save(th, pos.key, ply, leaf, best, raw_eval, np.int64(LOWER), no_move, was_pv)
            return best
        alpha = max(alpha, best)
    end_row(th, ply, is_pv, best)

    start_noisy_picker(pos, th, ply)
    while True:
        move = next_move(pos, th, ply)
        if move == NO_MOVE:
            break
        play(pos, th, ply, move)
        # As in the main search, only a move that beats a zero window gets the full one. The
        # table cuts off the others; otherwise many promotions in any order take a million nodes.
        score = -quiescence(pos, th, ply + 1, -alpha - 1, -alpha)
        if is_pv and alpha < score < beta:
            score = -quiescence(pos, th, ply + 1, -beta, -alpha)
        unmake(pos)
        if th.stop != 0:
            return DRAW
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                if is_pv and score < beta:
                    update_row(th, ply, move)
                if score >= beta:
                    break
    if th.clusters != 0:
        bound = np.int64(LOWER if best >= beta else UPPER)
        save(th, pos.key, ply, leaf, best, raw_eval, bound, no_move, was_pv)
    return best
