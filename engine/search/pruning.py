"""Pruning by the transposition table and by the static evaluation.

The latter prunes whole nodes only outside PV nodes and away from mate scores, and moves anywhere,
once another has avoided mate. It starts from `engine.search.static_eval.tt_adjusted_eval`;
margins are centipawns, depths plies.

Futility is Ernst Heinz's (1998), reverse futility its mirror image at beta; late move pruning
came with Glaurung and Stockfish, SEE pruning with Ethereal.
"""

import numpy as np

from engine.board.annotations import (
    Bonus,
    Count,
    Depth,
    Flag,
    Move,
    MoveCount,
    Ply,
    Position,
    Score,
)
from engine.board.bitboard import NOTHING
from engine.board.checks import gives_check
from engine.board.see import material_gain, see_at_least
from engine.board.types import BISHOP, KNIGHT, QUEEN, ROOK
from engine.jit.kernel import kernel
from engine.search.parameters import parameter
from engine.search.reductions import PLY
from engine.search.thread_data import Entry, ThreadData
from engine.search.tt import EXACT, LOWER, UPPER, entry_bound, entry_depth, entry_score

NULL_VERIFICATION_DEPTH = 14
"""Depth from which a null move that fails high is verified (Omid David-Tabibi, 2002)."""

_reverse_margin = parameter("ReverseMargin", 22, 8, 80, 5)
_reverse_improving = parameter("ReverseImproving", 10, 0, 80, 5)
_reverse_correction = parameter("ReverseCorrection", 50, 0, 150, 12)
_null_surplus = parameter("NullSurplus", 68, 20, 200, 12)
_null_base = parameter("NullBase", 33, -40, 150, 10)
_null_slope = parameter("NullSlope", 6, 0, 20, 1)
_late_base = parameter("LateBase", 833, 100, 1600, 120)
_late_slope = parameter("LateSlope", 114, 40, 220, 12)
_pruning_history = parameter("PruningHistory", 7600, 2000, 40000, 1000)
_futility_base = parameter("FutilityBase", 30, 0, 120, 8)
_futility_margin = parameter("FutilityMargin", 41, 8, 80, 5)
_noisy_futility_base = parameter("FutilityNoisyBase", 50, 0, 200, 12)
_noisy_futility_margin = parameter("FutilityNoisyMargin", 56, 8, 150, 8)
_noisy_futility_history = parameter("FutilityNoisyHistory", 45, 20, 400, 10)
_history_margin = parameter("HistoryMargin", 4600, 1000, 15000, 500)
_see_quiet = parameter("SeeQuiet", 24, 5, 80, 4)
_see_check = parameter("SeeCheck", 64, 20, 150, 10)
_see_noisy = parameter("SeeNoisy", 26, 8, 70, 5)
_see_noisy_history = parameter("SeeNoisyHistory", 90, 30, 1000, 20)

_SEE_PERCENT = 65
"""Centipawns of the network that correspond to 100 of `engine.board.see`."""


@kernel
def tt_cutoff(
    pos: Position, th: ThreadData, ply: Ply, tt_data: Entry, depth: Depth, alpha: Score, beta: Score
) -> Flag:
    """Return whether a table entry cuts off the node: never a PV node, since it has no line.

    Nor does it near the fifty-move rule, since the entry ignores the halfmove clock.
    """
    bound = entry_bound(tt_data)
    return (
        beta - alpha == 1
        and entry_depth(tt_data) >= depth
        and pos.halfmove < 90
        and (bound == EXACT or bound == (LOWER if entry_score(tt_data, ply) >= beta else UPPER))
    )


@kernel
def reverse_futility(
    th: ThreadData,
    depth: Depth,
    tt_eval: Score,
    improving: Count,
    correction: Score,
    beta: Score,
) -> Flag:
    """Return whether the evaluation is so far above ``beta`` that the node fails high.

    A large ``correction`` of it, either way, says that it is uncertain (Stockfish).
    """
    margin = _reverse_margin(th) * depth - _reverse_improving(th) * improving
    margin += abs(correction) * _reverse_correction(th) // 100
    return depth <= 8 and tt_eval - margin >= beta


@kernel
def null_move_allowed(
    pos: Position,
    th: ThreadData,
    depth: Depth,
    static_eval: Score,
    tt_eval: Score,
    beta: Score,
) -> Flag:
    """Return whether to try a null move: not with king and pawns alone, because of zugzwang."""
    heavy = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
    return (
        depth >= 3
        and tt_eval >= beta
        and static_eval >= beta + _null_base(th) - _null_slope(th) * depth
        and heavy & pos.by_colour[pos.side] != NOTHING
    )


@kernel
def null_move_depth(th: ThreadData, depth: Depth, surplus: Score) -> Depth:
    """Return the depth of the null move search; ``surplus`` is the evaluation minus beta."""
    return depth - 4 - depth // 4 - min(surplus // _null_surplus(th), 3)


@kernel
def late_move_pruning(
    th: ThreadData, depth: Depth, move_count: MoveCount, improving: Count
) -> Flag:
    """Return whether so many moves were searched that the remaining quiet ones are pruned."""
    enough = (_late_base(th) + _late_slope(th) * depth * depth) // (200 - 100 * improving)
    return depth <= 8 and move_count > enough


@kernel
def pruning_depth(th: ThreadData, depth: Depth, reduction: Count, history_score: Bonus) -> Depth:
    """Return the depth after a move's `base_reduction`, in 1024ths of a ply, at least 0.

    More for a quiet move with a high ``history_score`` (Stockfish).
    """
    return max(depth * PLY - reduction + history_score * PLY // _pruning_history(th), np.int64(0))


@kernel
def futility(th: ThreadData, lmr_depth: Depth, tt_eval: Score, alpha: Score) -> Flag:
    """Return whether the evaluation is so far below ``alpha`` that a quiet move is pruned.

    ``lmr_depth`` is the move's `pruning_depth`.
    """
    margin = _futility_base(th) + _futility_margin(th) * lmr_depth // PLY
    return lmr_depth < 12 * PLY and tt_eval + margin <= alpha


@kernel
def history_pruning(th: ThreadData, depth: Depth, lmr_depth: Depth, history_score: Bonus) -> Flag:
    """Return whether a quiet move failed so often that it is pruned."""
    return lmr_depth < 5 * PLY and history_score < -_history_margin(th) * depth


@kernel
def see_prune_quiet(
    pos: Position, th: ThreadData, depth: Depth, lmr_depth: Depth, move: Move
) -> Flag:
    """Return whether the exchange after a quiet ``move`` loses too much.

    That depends on ``lmr_depth``, its `pruning_depth`, but on the full ``depth`` for a check.
    """
    allowed = _see_quiet(th) * lmr_depth * lmr_depth // (PLY * PLY)
    if see_at_least(pos, move, -allowed):
        return False
    return not (gives_check(pos, move) and see_at_least(pos, move, -_see_check(th) * depth))


@kernel
def noisy_futility(
    pos: Position,
    th: ThreadData,
    lmr_depth: Depth,
    move: Move,
    history_score: Bonus,
    tt_eval: Score,
    alpha: Score,
) -> Flag:
    """Return whether ``alpha`` is out of reach even with what the noisy ``move`` wins at once."""
    margin = _noisy_futility_base(th) + _noisy_futility_margin(th) * lmr_depth // PLY
    margin += material_gain(pos, move) * _SEE_PERCENT // 100
    margin += history_score // _noisy_futility_history(th)
    return lmr_depth < 7 * PLY and tt_eval + margin <= alpha and not gives_check(pos, move)


@kernel
def see_prune_noisy(
    pos: Position, th: ThreadData, depth: Depth, move: Move, history_score: Bonus
) -> Flag:
    """Return whether the exchange after a noisy ``move`` loses too much for ``depth`` plies.

    It may lose more where such captures have achieved something.
    """
    allowed = _see_noisy(th) * depth * depth + history_score // _see_noisy_history(th)
    return depth <= 8 and not see_at_least(pos, move, -max(allowed, np.int64(0)))
