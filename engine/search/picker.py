"""The staged move picker: moves are generated and scored only when they are needed.

A small state machine for each node, in the thread's record: previous PV move and table move,
captures that do not lose material, killers, quiet moves by history, losing captures. In
check all evasions are one stage. Quiescence uses the same machine, without the quiet stages.
"""

import numpy as np

from engine.board.annotations import Count, Flag, Move, Ply, Position, Score
from engine.board.attacks import bishop_attacks, knight_attacks, rook_attacks
from engine.board.bitboard import NOTHING, bit
from engine.board.checks import checking_squares
from engine.board.legality import is_legal
from engine.board.move import (
    flag_of,
    is_capture,
    is_noisy,
    is_promotion,
    origin_of,
    promoted_type,
    target_of,
)
from engine.board.movegen import generate
from engine.board.position import king_square, occupancy
from engine.board.see import piece_value, see_at_least
from engine.board.types import (
    ALL_MOVES,
    EN_PASSANT,
    MAX_MOVES,
    NO_MOVE,
    NOISY_MOVES,
    PAWN,
    QUEEN,
    QUIET_MOVES,
)
from engine.jit.kernel import kernel
from engine.search.history import MAX_QUIET_HISTORY, capture_history, quiet_history, update_threats
from engine.search.parameters import parameter
from engine.search.thread import prefetch_child
from engine.search.thread_data import Picker, ThreadData

(
    _PV_MOVE,
    _TT_MOVE,
    _GENERATE_NOISY,
    _GOOD_NOISY,
    _KILLERS,
    _SECOND_KILLER,
    _GENERATE_QUIETS,
    _QUIETS,
    _BAD_NOISY,
) = range(9)
_GENERATE_EVASIONS, _EVASIONS = 10, 11
_GENERATE_NOISY_ONLY, _NOISY_ONLY = 20, 21

_NOISY_FIRST = 1 << 20

_check = parameter("QuietCheck", 7500, 0, 20000, 1000)


@kernel
def start_picker(pos: Position, th: ThreadData, ply: Ply, pv_move: Move, tt_move: Move) -> None:
    """Start picking moves for a node of the main search.

    ``pv_move`` is known to be legal (the previous PV's), ``tt_move`` is not (the table's); both
    may be none.
    """
    picker = th.picker[ply]
    picker.pv_move = pv_move
    picker.tt_move = NO_MOVE
    if tt_move != pv_move and tt_move != NO_MOVE and is_legal(pos, tt_move):
        picker.tt_move = tt_move
    picker.stage = _PV_MOVE
    first = pv_move if pv_move != NO_MOVE else np.int64(picker.tt_move)
    if first != NO_MOVE:
        prefetch_child(pos, th, first)
    update_threats(pos, th, ply)


@kernel
def start_noisy_picker(pos: Position, th: ThreadData, ply: Ply) -> None:
    """Start picking moves for quiescence: captures that do not lose material, or evasions."""
    picker = th.picker[ply]
    picker.pv_move = NO_MOVE
    picker.tt_move = NO_MOVE
    picker.stage = _GENERATE_NOISY_ONLY
    if pos.checkers != 0:
        picker.stage = _GENERATE_EVASIONS
        update_threats(pos, th, ply)


@kernel
def skip_quiets(pos: Position, th: ThreadData, ply: Ply) -> None:
    """Pick no more quiet moves at this node, but for those that give check themselves.

    Killers and what was not generated yet are skipped with the others.
    """
    picker = th.picker[ply]
    if picker.stage == _QUIETS:
        king, occupied = king_square(pos, pos.side ^ 1), occupancy(pos)
        diagonal, straight = bishop_attacks(king, occupied), rook_attacks(king, occupied)
        kept = np.int64(picker.next)
        for index in range(kept, np.int64(picker.end)):
            move = np.int64(pos.moves[index])
            piece_type = np.int64(pos.board[origin_of(move)]) % 6
            squares = checking_squares(piece_type, king, diagonal, straight)
            if squares & bit(target_of(move)) != NOTHING:
                pos.moves[kept] = pos.moves[index]
                th.scores[kept] = th.scores[index]
                kept += 1
        picker.end = kept
    elif _KILLERS <= picker.stage < _QUIETS:
        picker.stage = _QUIETS
        picker.next = picker.end


@kernel
def _noisy_score(pos: Position, th: ThreadData, move: Move) -> Score:
    """Return the score of a noisy move: MVV-LVA plus capture history."""
    score = capture_history(pos, th, move)
    if is_capture(move):
        victim = np.int64(pos.board[target_of(move)]) % 6 if flag_of(move) != EN_PASSANT else PAWN
        score += 16 * piece_value(victim) - np.int64(pos.board[origin_of(move)]) % 6
    if is_promotion(move):
        score += 16 * piece_value(promoted_type(move)) if promoted_type(move) == QUEEN else -8000
    return score


@kernel
def _prefer_checks(pos: Position, th: ThreadData, start: Count, end: Count) -> None:
    """Raise the scores of the quiet moves that give check with the moved piece (Stockfish).

    Not of those that lose more than three quarters of a pawn.
    """
    king, occupied = king_square(pos, pos.side ^ 1), occupancy(pos)
    diagonal, straight = bishop_attacks(king, occupied), rook_attacks(king, occupied)
    reached = diagonal | straight | knight_attacks(king)
    for index in range(start, end):
        move = np.int64(pos.moves[index])
        target = bit(target_of(move))
        if target & reached == NOTHING:
            continue
        piece_type = np.int64(pos.board[origin_of(move)]) % 6
        checks = checking_squares(piece_type, king, diagonal, straight) & target
        if checks != NOTHING and see_at_least(pos, move, np.int64(-75)):
            th.scores[index] += _check(th)


@kernel
def _generate(pos: Position, th: ThreadData, ply: Ply, start: Count, kind: Count) -> None:
    """Generate the moves of one kind from ``start`` on, and score them."""
    picker = th.picker[ply]
    picker.next = start
    picker.end = generate(pos, np.int64(start), kind)
    for index in range(start, picker.end):
        move = np.int64(pos.moves[index])
        if is_noisy(move):
            th.scores[index] = _noisy_score(pos, th, move) + _NOISY_FIRST
        elif move == th.killers[ply, 0]:
            th.scores[index] = MAX_QUIET_HISTORY + 1
        else:
            th.scores[index] = quiet_history(pos, th, ply, move)
    if kind == QUIET_MOVES:
        _prefer_checks(pos, th, start, np.int64(picker.end))


@kernel
def _pick_best(pos: Position, th: ThreadData, picker: Picker) -> Move:
    """Take the best remaining move of the list: one step of a selection sort."""
    best: Count = np.int64(picker.next)
    best_score = th.scores[best]
    for index in range(best + 1, np.int64(picker.end)):
        if th.scores[index] > best_score:
            best, best_score = index, th.scores[index]
    here = np.int64(picker.next)
    move = np.int64(pos.moves[best])
    pos.moves[best] = pos.moves[here]
    th.scores[best] = th.scores[here]
    picker.next = here + 1
    prefetch_child(pos, th, move)
    return move


@kernel
def is_killer(th: ThreadData, ply: Ply, move: Move) -> Flag:
    """Return whether ``move`` is a killer of ``ply``."""
    return move == th.killers[ply, 0] or move == th.killers[ply, 1]


@kernel
def _killer(pos: Position, th: ThreadData, ply: Ply, slot: Count) -> Move:
    """Return the killer if it is legal and was not picked before; else none."""
    move = np.int64(th.killers[ply, slot])
    picker = th.picker[ply]
    if move == NO_MOVE or move == picker.pv_move or move == picker.tt_move:
        return np.int64(NO_MOVE)
    if not is_legal(pos, move):
        return np.int64(NO_MOVE)
    prefetch_child(pos, th, move)
    return move


@kernel
def next_move(pos: Position, th: ThreadData, ply: Ply) -> Move:
    """Return the next move of the node at ``ply``; none when all have been picked."""
    picker = th.picker[ply]
    base = ply * MAX_MOVES
    while True:
        stage = picker.stage
        if stage == _PV_MOVE:
            picker.stage = _TT_MOVE
            if picker.pv_move != NO_MOVE:
                return picker.pv_move
        elif stage == _TT_MOVE:
            picker.stage = _GENERATE_EVASIONS if pos.checkers != 0 else _GENERATE_NOISY
            if picker.tt_move != NO_MOVE:
                return picker.tt_move
        elif stage == _GENERATE_NOISY:
            _generate(pos, th, ply, base, np.int64(NOISY_MOVES))
            picker.bad_end = base
            picker.stage = _GOOD_NOISY
        elif stage == _GOOD_NOISY:
            if picker.next == picker.end:
                picker.stage = _KILLERS
                continue
            move = _pick_best(pos, th, picker)
            if move == picker.pv_move or move == picker.tt_move:
                continue
            if not see_at_least(pos, move, np.int64(0)):
                pos.moves[picker.bad_end] = move
                picker.bad_end += 1
                continue
            return move
        elif stage == _KILLERS or stage == _SECOND_KILLER:
            move = _killer(pos, th, ply, stage - _KILLERS)
            picker.stage = stage + 1
            if move != NO_MOVE:
                return move
        elif stage == _GENERATE_QUIETS:
            _generate(pos, th, ply, np.int64(picker.end), np.int64(QUIET_MOVES))
            picker.stage = _QUIETS
        elif stage == _QUIETS:
            if picker.next >= picker.end:
                picker.next = base
                picker.stage = _BAD_NOISY
                continue
            move = _pick_best(pos, th, picker)
            if move == picker.pv_move or move == picker.tt_move or is_killer(th, ply, move):
                continue
            return move
        elif stage == _BAD_NOISY:
            if picker.next == picker.bad_end:
                return np.int64(NO_MOVE)
            picker.next += 1
            return np.int64(pos.moves[picker.next - 1])
        elif stage == _GENERATE_EVASIONS:
            _generate(pos, th, ply, base, np.int64(ALL_MOVES))
            picker.stage = _EVASIONS
        elif stage == _EVASIONS:
            if picker.next == picker.end:
                return np.int64(NO_MOVE)
            move = _pick_best(pos, th, picker)
            if move != picker.pv_move and move != picker.tt_move:
                return move
        elif stage == _GENERATE_NOISY_ONLY:
            _generate(pos, th, ply, base, np.int64(NOISY_MOVES))
            picker.stage = _NOISY_ONLY
        else:
            if picker.next == picker.end:
                return np.int64(NO_MOVE)
            move = _pick_best(pos, th, picker)
            if see_at_least(pos, move, np.int64(0)):
                return move
