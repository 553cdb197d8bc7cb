"""The staged move picker: the likeliest move first, and nothing generated before it is needed.

A small state machine a node, kept in the thread's record: previous PV and table move,
captures that do not lose material, killers, quiet moves by history, losing captures. In
check all evasions come at once. Quiescence uses the same machine, without its quiet half.
"""

from typing import Any

import numpy as np

from engine.board.annotations import Count, Flag, Move, Ply, Position
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
from engine.search.history import MOST, capture_history_of, history_of, note_threats
from engine.search.thread_data import Picker, ThreadData

_FIRST, _SECOND, _NOISY, _GOOD, _KILLER_1, _KILLER_2, _QUIET, _REST, _BAD = range(9)
_EVASIONS, _EVADE = 10, 11
_TACTICAL, _TACTICS = 20, 21

_BEFORE_QUIETS = 1 << 20


@kernel
def start_picker(pos: Position, th: ThreadData, ply: Ply, first: Move, second: Move) -> None:
    """Begin to pick moves for a node of the main search.

    ``first`` is a move that is known to be legal (the previous PV's), ``second`` one that
    is not (the table's); both may be none.
    """
    picker = th.picker[ply]
    picker.first = first
    picker.second = NO_MOVE
    if second != first and second != NO_MOVE and is_legal(pos, second):
        picker.second = second
    picker.stage = _FIRST
    note_threats(pos, th, ply)


@kernel
def start_tactical_picker(pos: Position, th: ThreadData, ply: Ply) -> None:
    """Begin to pick moves for quiescence: captures that do not lose material, or evasions."""
    picker = th.picker[ply]
    picker.first = NO_MOVE
    picker.second = NO_MOVE
    picker.stage = _TACTICAL
    if pos.checkers != 0:
        picker.stage = _EVASIONS
        note_threats(pos, th, ply)


@kernel
def skip_quiets(th: ThreadData, ply: Ply) -> None:
    """Pick no more quiet moves at this node."""
    picker = th.picker[ply]
    if _KILLER_1 <= picker.stage <= _REST:
        picker.stage = _REST
        picker.next = picker.end


@kernel
def _noisy_score(pos: Position, th: ThreadData, move: Move) -> Any:
    """Return the victim's value, less a little for a valuable attacker, and the move's history."""
    score = capture_history_of(pos, th, move)
    if is_capture(move):
        victim = np.int64(pos.board[target_of(move)]) % 6 if flag_of(move) != EN_PASSANT else PAWN
        score += 16 * piece_value(victim) - np.int64(pos.board[origin_of(move)]) % 6
    if is_promotion(move):
        score += 16 * piece_value(promoted_type(move)) if promoted_type(move) == QUEEN else -8000
    return score


@kernel
def _generate(pos: Position, th: ThreadData, ply: Ply, start: Count, kind: Count) -> None:
    """Generate moves of one kind behind ``start`` and score them."""
    picker = th.picker[ply]
    picker.next = start
    picker.end = generate(pos, np.int64(start), kind)
    for index in range(start, picker.end):
        move = np.int64(pos.moves[index])
        if is_noisy(move):
            th.scores[index] = _noisy_score(pos, th, move) + _BEFORE_QUIETS
        elif move == th.killers[ply, 0]:
            th.scores[index] = MOST + 1
        else:
            th.scores[index] = history_of(pos, th, ply, move)


@kernel
def _pick_best(pos: Position, th: ThreadData, picker: Picker) -> Move:
    """Take the best remaining move of the list: one step of a selection sort."""
    best: Count = np.int64(picker.next)
    best_score = th.scores[best]
    for index in range(best + 1, np.int64(picker.end)):
        if th.scores[index] > best_score:
            best, best_score = index, th.scores[index]
    here = np.int64(picker.next)
    move = pos.moves[best]
    pos.moves[best] = pos.moves[here]
    th.scores[best] = th.scores[here]
    picker.next = here + 1
    return np.int64(move)


@kernel
def _is_killer(th: ThreadData, ply: Ply, move: Move) -> Flag:
    return move == th.killers[ply, 0] or move == th.killers[ply, 1]


@kernel
def _killer(pos: Position, th: ThreadData, ply: Ply, slot: Count) -> Move:
    """Return the killer when it can be played and has not been; else none."""
    move = np.int64(th.killers[ply, slot])
    picker = th.picker[ply]
    if move == NO_MOVE or move == picker.first or move == picker.second:
        return np.int64(NO_MOVE)
    return move if is_legal(pos, move) else np.int64(NO_MOVE)


@kernel
def next_move(pos: Position, th: ThreadData, ply: Ply) -> Move:
    """Return the next move of the node at ``ply``; none when all have been picked."""
    picker = th.picker[ply]
    base = ply * MAX_MOVES
    while True:
        stage = picker.stage
        if stage == _FIRST:
            picker.stage = _SECOND
            if picker.first != NO_MOVE:
                return picker.first
        elif stage == _SECOND:
            picker.stage = _EVASIONS if pos.checkers != 0 else _NOISY
            if picker.second != NO_MOVE:
                return picker.second
        elif stage == _NOISY:
            _generate(pos, th, ply, base, np.int64(NOISY_MOVES))
            picker.bad_end = base
            picker.stage = _GOOD
        elif stage == _GOOD:
            if picker.next == picker.end:
                picker.stage = _KILLER_1
                continue
            move = _pick_best(pos, th, picker)
            if move == picker.first or move == picker.second:
                continue
            if not see_at_least(pos, move, np.int64(0)):
                pos.moves[picker.bad_end] = move
                picker.bad_end += 1
                continue
            return move
        elif stage == _KILLER_1 or stage == _KILLER_2:
            move = _killer(pos, th, ply, stage - _KILLER_1)
            picker.stage = stage + 1
            if move != NO_MOVE:
                return move
        elif stage == _QUIET:
            _generate(pos, th, ply, np.int64(picker.end), np.int64(QUIET_MOVES))
            picker.stage = _REST
        elif stage == _REST:
            if picker.next >= picker.end:
                picker.next = base
                picker.stage = _BAD
                continue
            move = _pick_best(pos, th, picker)
            if move == picker.first or move == picker.second or _is_killer(th, ply, move):
                continue
            return move
        elif stage == _BAD:
            if picker.next == picker.bad_end:
                return np.int64(NO_MOVE)
            picker.next += 1
            return np.int64(pos.moves[picker.next - 1])
        elif stage == _EVASIONS:
            _generate(pos, th, ply, base, np.int64(ALL_MOVES))
            picker.stage = _EVADE
        elif stage == _EVADE:
            if picker.next == picker.end:
                return np.int64(NO_MOVE)
            move = _pick_best(pos, th, picker)
            if move != picker.first and move != picker.second:
                return move
        elif stage == _TACTICAL:
            _generate(pos, th, ply, base, np.int64(NOISY_MOVES))
            picker.stage = _TACTICS
        else:
            if picker.next == picker.end:
                return np.int64(NO_MOVE)
            move = _pick_best(pos, th, picker)
            if see_at_least(pos, move, np.int64(0)):
                return move
