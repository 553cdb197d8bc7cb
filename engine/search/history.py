"""Move ordering by earlier cut-offs: killers and histories.

Killers (Selim Akl and Monroe Newborn, 1977) are the last two quiet moves that caused a cut-off at
the same ply. History (Jonathan Schaeffer, 1983) is indexed by origin and target, and whether these
are attacked (Akimbo); quiet moves tried before the one that cuts off get a malus. Continuation
history, as in Stockfish, from countermoves (Jos Uiterwijk, 1992), is indexed by piece and target of
a move and of the one one, two or four plies before. Capture history is indexed by piece, target and
victim.
"""

import numpy as np

from engine.board.annotations import Bonus, Colour, Count, Depth, Move, Ply, Position, Score
from engine.board.legality import is_legal
from engine.board.move import is_noisy, origin_of, target_of
from engine.board.position import attacked
from engine.board.types import MAX_PLY, NO_MOVE
from engine.jit.kernel import kernel
from engine.memory.records import Field
from engine.search.parameters import parameter
from engine.search.thread_data import ThreadData
from engine.search.tt import NO_SCORE

HISTORY_LIMIT = 1 << 14
"""The largest limit that a table may have."""

MAX_QUIET_HISTORY = 7 * HISTORY_LIMIT // 2
"""No value of `quiet_history` is larger."""

HISTORY_DECAY = 2
"""Before each search quiet history loses its value shifted right by this: a quarter."""

CLEAR_CUTOFF_MARGIN = 30
"""Centipawns above beta from which a cut-off counts as if it were a ply deeper."""

MAX_TRIED = 32
"""The number of moves of a node that are remembered as tried."""

# For each table: bonus and malus a ply, the maximum of each, and the limit of its values.
_quiet_bonus = parameter("QuietBonus", 200, 40, 500, 25)
_quiet_bonus_most = parameter("QuietBonusMost", 1600, 400, 3500, 150)
_quiet_malus = parameter("QuietMalus", 200, 40, 500, 25)
_quiet_malus_most = parameter("QuietMalusMost", 1400, 400, 3500, 150)
_quiet_limit = parameter("QuietLimit", 8192, 4096, HISTORY_LIMIT, 1000)
_continuation_bonus = parameter("ContinuationBonus", 170, 40, 500, 25)
_continuation_bonus_most = parameter("ContinuationBonusMost", 1300, 300, 3500, 150)
_continuation_malus = parameter("ContinuationMalus", 220, 40, 500, 25)
_continuation_malus_most = parameter("ContinuationMalusMost", 1200, 300, 3500, 150)
_continuation_limit = parameter("ContinuationLimit", HISTORY_LIMIT, 4096, HISTORY_LIMIT, 1000)
_capture_bonus = parameter("CaptureBonus", 150, 40, 500, 25)
_capture_bonus_most = parameter("CaptureBonusMost", 1200, 300, 3500, 150)
_capture_malus = parameter("CaptureMalus", 200, 40, 500, 25)
_capture_malus_most = parameter("CaptureMalusMost", 1400, 300, 3500, 150)
_capture_limit = parameter("CaptureLimit", 12288, 4096, HISTORY_LIMIT, 1000)

_GOOD, _BAD = np.int64(1), np.int64(-1)

_tt_cutoff_bonus = parameter("TtCutoffBonus", 60, 0, 150, 12)
_fail_low_bonus = parameter("FailLowBonus", 80, 0, 200, 15)
_fail_low_margin = parameter("FailLowMargin", 30, -50, 200, 12)

_change_slope = parameter("EvalChangeSlope", 10, 0, 40, 2)
_change_base = parameter("EvalChangeBase", 20, -20, 60, 5)
_change_least = parameter("EvalChangeLeast", 120, 0, 500, 30)
_change_most = parameter("EvalChangeMost", 300, 0, 1000, 40)

_PLIES = MAX_PLY + 2
CONTEXTS = 1 + 12 * 64
"""The number of values of `conthist_index_of`, and 0 for none."""
_CONTHIST_OFFSET = 4

HISTORY_FIELDS: list[Field] = [
    ("killers", np.uint16, (_PLIES, 2)),
    ("tried", np.uint16, (_PLIES, MAX_TRIED)),
    ("conthist_index", np.int64, _PLIES + _CONTHIST_OFFSET),
    ("threats", np.uint64, _PLIES),
    ("history", np.int16, (2, 4, 64, 64)),
    ("capture", np.int16, (12, 64, 6)),
    ("continuation", np.int16, (CONTEXTS, CONTEXTS)),
]
"""Fields of a record for learning about moves. ``conthist_index[ply + 4]`` is the piece and target
of the move that led to ``ply``, 0 for none; ``threats`` are the squares that the opponent attacks
there."""


@kernel
def decay_history(th: ThreadData) -> None:
    """Let the history of quiet moves fade before a search (Stockfish)."""
    for side in range(th.history.shape[0]):
        for threat in range(th.history.shape[1]):
            for origin in range(th.history.shape[2]):
                for target in range(th.history.shape[3]):
                    old = th.history[side, threat, origin, target]
                    th.history[side, threat, origin, target] = old - (old >> HISTORY_DECAY)


@kernel
def conthist_index_of(pos: Position, move: Move) -> Count:
    """Return piece and target of ``move``, before it is made, as one number from 1."""
    return np.int64(pos.board[origin_of(move)]) * 64 + target_of(move) + 1


@kernel
def set_conthist_index(th: ThreadData, ply: Ply, conthist_index: Count) -> None:
    """Store the `conthist_index_of` the move that leads to ``ply``, 0 for a null move."""
    th.conthist_index[ply + _CONTHIST_OFFSET] = conthist_index


@kernel
def conthist_index_at(th: ThreadData, ply: Ply) -> Count:
    """Return the `conthist_index_of` the move to ``ply`` ≥ −3; 0 for none or a null move."""
    return th.conthist_index[ply + _CONTHIST_OFFSET]


@kernel
def update_threats(pos: Position, th: ThreadData, ply: Ply) -> None:
    """Store the squares that the opponent attacks at ``ply``; needed for all quiet histories."""
    th.threats[ply] = attacked(pos, pos.side ^ 1)


@kernel
def _threat(th: ThreadData, ply: Ply, move: Move) -> Count:
    """Return from 0 to 3 whether ``move`` leaves, and whether it enters, an attacked square."""
    attacked, one = th.threats[ply], np.uint64(1)
    leaves = attacked >> np.uint64(origin_of(move)) & one
    enters = attacked >> np.uint64(target_of(move)) & one
    return np.int64(2 * leaves + enters)


@kernel
def quiet_history(pos: Position, th: ThreadData, ply: Ply, move: Move) -> Bonus:
    """Return the history score of a quiet ``move``: history and continuation histories.

    Within ± `MAX_QUIET_HISTORY`.
    """
    here = conthist_index_of(pos, move)
    return (
        np.int64(th.history[pos.side, _threat(th, ply, move), origin_of(move), target_of(move)])
        + th.continuation[conthist_index_at(th, ply), here]
        + th.continuation[conthist_index_at(th, ply - 1), here]
        + (th.continuation[conthist_index_at(th, ply - 3), here] >> 1)
    )


@kernel
def capture_history(pos: Position, th: ThreadData, move: Move) -> Bonus:
    """Return the capture history of a noisy ``move``, within ± `HISTORY_LIMIT`."""
    target = target_of(move)
    return np.int64(th.capture[pos.board[origin_of(move)], target, pos.board[target] % 6])


@kernel
def _gravity(value: Count, bonus: Bonus, limit: Count) -> Bonus:
    """Return what to add to ``value`` for ``bonus``: less near ``limit``, so old values fade."""
    return bonus - np.int64(value) * abs(bonus) // limit


@kernel
def _of_quiet(th: ThreadData, depth: Depth, sign: Count) -> Bonus:
    """Return the bonus (``sign`` 1) or malus (−1) of a quiet move after a ``depth`` of plies."""
    if sign > 0:
        return min(_quiet_bonus(th) * depth, _quiet_bonus_most(th))
    return -min(_quiet_malus(th) * depth, _quiet_malus_most(th))


@kernel
def _of_continuation(th: ThreadData, depth: Depth, sign: Count) -> Bonus:
    """Return the same for a continuation."""
    if sign > 0:
        return min(_continuation_bonus(th) * depth, _continuation_bonus_most(th))
    return -min(_continuation_malus(th) * depth, _continuation_malus_most(th))


@kernel
def _of_capture(th: ThreadData, depth: Depth, sign: Count) -> Bonus:
    """Return the same for a noisy move."""
    if sign > 0:
        return min(_capture_bonus(th) * depth, _capture_bonus_most(th))
    return -min(_capture_malus(th) * depth, _capture_malus_most(th))


@kernel
def _update_continuation(th: ThreadData, ply: Ply, here: Count, bonus: Bonus) -> None:
    """Add ``bonus`` to the continuation histories of the move with the index ``here``."""
    for back in (0, 1, 3):
        before = conthist_index_at(th, ply - back)
        old = th.continuation[before, here]
        th.continuation[before, here] += _gravity(old, bonus, _continuation_limit(th))


@kernel
def _update_history(th: ThreadData, ply: Ply, side: Colour, move: Move, bonus: Bonus) -> None:
    """Add ``bonus`` to the history of the quiet ``move`` of ``side`` at ``ply``."""
    origin, target, threat = origin_of(move), target_of(move), _threat(th, ply, move)
    old = th.history[side, threat, origin, target]
    th.history[side, threat, origin, target] += _gravity(old, bonus, _quiet_limit(th))


@kernel
def _update_quiet(
    pos: Position, th: ThreadData, ply: Ply, depth: Depth, move: Move, sign: Count
) -> None:
    """Give all histories of the quiet ``move`` a bonus for ``sign`` 1, a malus for −1."""
    _update_history(th, ply, pos.side, move, _of_quiet(th, depth, sign))
    _update_continuation(th, ply, conthist_index_of(pos, move), _of_continuation(th, depth, sign))


@kernel
def _update_capture(pos: Position, th: ThreadData, depth: Depth, move: Move, sign: Count) -> None:
    """Give a capture or promotion a bonus for ``sign`` 1, a malus for −1."""
    piece, target = pos.board[origin_of(move)], target_of(move)
    victim = pos.board[target] % 6
    old, bonus = th.capture[piece, target, victim], _of_capture(th, depth, sign)
    th.capture[piece, target, victim] += _gravity(old, bonus, _capture_limit(th))


@kernel
def update_histories(
    pos: Position, th: ThreadData, ply: Ply, depth: Depth, move: Move, tried: Count
) -> None:
    """Give the ``move`` that cut off at ``ply`` a bonus, and those ``tried`` before it a malus.

    ``tried`` is the length of the node's list of them, which may end with ``move`` itself. After
    a noisy move quiet ones get no malus.
    """
    quiet = not is_noisy(move)
    if quiet:
        if th.killers[ply, 0] != move:
            th.killers[ply, 1] = th.killers[ply, 0]
            th.killers[ply, 0] = move
        _update_quiet(pos, th, ply, depth, move, _GOOD)
    else:
        _update_capture(pos, th, depth, move, _GOOD)
    for index in range(tried):
        other = np.int64(th.tried[ply, index])
        if other == move:
            continue
        if is_noisy(other):
            _update_capture(pos, th, depth, other, _BAD)
        elif quiet:
            _update_quiet(pos, th, ply, depth, other, _BAD)


@kernel
def update_after_tt_cutoff(
    pos: Position, th: ThreadData, ply: Ply, depth: Depth, move: Move
) -> None:
    """Give the table's ``move`` at ``ply``, which cuts off, a bonus if it is quiet (Stockfish).

    ``move`` may be none, or illegal if keys collide.
    """
    if move == NO_MOVE or is_noisy(move) or not is_legal(pos, move):
        return
    update_threats(pos, th, ply)
    share = _tt_cutoff_bonus(th)
    _update_history(th, ply, pos.side, move, _of_quiet(th, depth, _GOOD) * share // 100)
    bonus = _of_continuation(th, depth, _GOOD) * share // 100
    _update_continuation(th, ply, conthist_index_of(pos, move), bonus)


@kernel
def update_by_eval_change(pos: Position, th: ThreadData, ply: Ply, static_eval: Score) -> None:
    """Update the history of the quiet move to ``ply`` by what it did to the evaluation (Stockfish).

    ``static_eval`` is that at ``ply``. The base compensates for the tempo: each side's static eval
    counts its own right to move.
    """
    move, before = np.int64(pos.history[pos.game_ply - 1].move), th.static_eval[ply - 1]
    if move == NO_MOVE or is_noisy(move) or before == NO_SCORE:
        return
    bonus = _change_slope(th) * (_change_base(th) - static_eval - before)
    bonus = max(min(bonus, _change_most(th)), -_change_least(th))
    _update_history(th, ply - 1, pos.side ^ 1, move, bonus)


@kernel
def update_after_fail_low(
    pos: Position, th: ThreadData, ply: Ply, depth: Depth, score: Score
) -> None:
    """Give the quiet move that led to ``ply``, where all moves failed low, a bonus (Stockfish).

    It gets one only if the node's ``score`` is clearly better for that move's side than the static
    evaluation before the move.
    """
    move, before = np.int64(pos.history[pos.game_ply - 1].move), th.static_eval[ply - 1]
    if move == NO_MOVE or is_noisy(move) or before == NO_SCORE:
        return
    if -score < before + _fail_low_margin(th):
        return
    share = _fail_low_bonus(th)
    bonus = _of_quiet(th, depth, _GOOD) * share // 100
    _update_history(th, ply - 1, pos.side ^ 1, move, bonus)
    bonus = _of_continuation(th, depth, _GOOD) * share // 100
    _update_continuation(th, ply - 1, conthist_index_at(th, ply), bonus)


@kernel
def update_lmr_history(th: ThreadData, ply: Ply, depth: Depth, held: Count) -> None:
    """Update after the re-search of a quiet move: ``held`` is 1 if it failed high, else −1."""
    _update_continuation(th, ply, conthist_index_at(th, ply + 1), _of_continuation(th, depth, held))
