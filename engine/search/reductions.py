"""Late move reductions (Tord Romstad's Glaurung): the product of the logarithms of depth and move
count (Stockfish), in 1024ths of a ply.
"""

import math

import numpy as np

from engine.board.annotations import Bonus, Count, Depth, Flag, MoveCount, Ply, Score
from engine.jit.kernel import kernel
from engine.search.parameters import parameter
from engine.search.thread_data import ThreadData
from engine.search.tt import NO_SCORE

PLY = 1024
"""A ply of reduction."""

_LOG_LIMIT = 63
_LOG = np.array([0] + [round(1024 * math.log(n)) for n in range(1, _LOG_LIMIT + 1)], dtype=np.int64)

# 1024ths of a ply. Those of PV nodes, checks and evasions are taken off, the others added.
_unreduced = parameter("LmrMinMoves", 1, 1, 4, 1)
_base = parameter("LmrBase", 1780, 0, 3500, 120)
_divisor = parameter("LmrDivisor", 2600, 1500, 4000, 120)
_noisy_base = parameter("LmrNoisyBase", 980, -1000, 3000, 120)
_noisy_divisor = parameter("LmrNoisyDivisor", 3300, 2000, 8000, 250)
_not_improving = parameter("LmrNotImproving", 880, 0, 2500, 130)
_pv = parameter("LmrPv", 1300, 0, 2500, 130)
_tt_pv = parameter("LmrTtPv", 1500, 0, 3000, 130)
_check = parameter("LmrCheck", 1300, 0, 2500, 130)
_evasion = parameter("LmrEvasion", 1300, 0, 3000, 130)
_cut = parameter("LmrCutNode", 2000, 0, 4000, 150)
_tt_noisy = parameter("LmrTtNoisy", 700, 0, 2500, 130)
_cutoffs = parameter("LmrCutoffs", 800, 0, 2500, 130)
_many_cutoffs = parameter("LmrManyCutoffs", 3, 1, 8, 1)
_history = parameter("LmrHistory", 7500, 3000, 20000, 1000)
_correction = parameter("LmrCorrection", 6, 0, 24, 2)
_deeper = parameter("LmrDeeper", 15, 5, 80, 5)
_shallower = parameter("LmrShallower", 2, -5, 15, 2)
_hindsight = parameter("HindsightReduction", 3, 1, 8, 1)
_iir_depth = parameter("IirDepth", 8, 2, 12, 1)


@kernel
def may_reduce(th: ThreadData, depth: Depth, move_count: MoveCount, is_pv: Flag) -> Flag:
    """Return whether a move comes late enough to be reduced: in PV nodes one move later."""
    return depth >= 3 and move_count > _unreduced(th) + is_pv


@kernel
def base_reduction(
    th: ThreadData,
    depth: Depth,
    move_count: MoveCount,
    quiet: Flag,
    is_pv: Flag,
    improving: Count,
) -> Count:
    """Return the reduction of a move by depth and move count, in 1024ths of a ply.

    Less for noisy moves, in PV nodes, and when the side to move is ``improving``.
    """
    product = _LOG[min(depth, np.int64(_LOG_LIMIT))] * _LOG[min(move_count, np.int64(_LOG_LIMIT))]
    if quiet:
        reduction = _base(th) + product // _divisor(th)
    else:
        reduction = _noisy_base(th) + product // _noisy_divisor(th)
    return reduction + (1 - improving) * _not_improving(th) - is_pv * _pv(th)


@kernel
def late_move_reduction(
    th: ThreadData,
    ply: Ply,
    base: Count,
    in_check: Flag,
    gives_check: Flag,
    cutnode: Flag,
    tt_noisy: Flag,
    history_score: Bonus,
    correction: Score,
) -> Depth:
    """Return by how many plies to reduce a move of `base_reduction` ``base``; it may be negative.

    Less in nodes that are or were PV nodes, for evasions, for checks, for moves with a high
    ``history_score`` (`engine.search.history`), and where a large ``correction`` of the evaluation,
    in centipawns, marks it as uncertain; more in cut nodes, after a noisy table move, and where
    many nodes of the next ply fail high (all Stockfish's).
    """
    reduction = base - th.tt_pv[ply] * _tt_pv(th)
    reduction -= in_check * _evasion(th) + gives_check * _check(th)
    reduction += cutnode * _cut(th) + tt_noisy * _tt_noisy(th)
    reduction += (th.cutoffs[ply + 1] > _many_cutoffs(th)) * _cutoffs(th)
    reduction -= history_score * PLY // _history(th) + abs(correction) * _correction(th)
    return reduction // PLY


@kernel
def iir(th: ThreadData, depth: Depth, cutnode: Flag) -> Depth:
    """Return by how many plies to reduce a node without a move to try first (Ed Schröder).

    Only in nodes that are expected to fail high: a node that fails low has no best move to find.
    """
    return np.int64(cutnode and depth >= _iir_depth(th))


@kernel
def hindsight_extension(th: ThreadData, ply: Ply, static_eval: Score) -> Depth:
    """Return 1 if the move to here was reduced and yet did not worsen its side, else 0.

    By the static evaluations before and after it (Stockfish).
    """
    before = th.static_eval[ply - 1]
    return np.int64(
        th.reduction[ply] >= _hindsight(th) and before != NO_SCORE and static_eval + before <= 0
    )


@kernel
def deeper_or_shallower(th: ThreadData, ahead: Score, is_pv: Flag) -> Depth:
    """Return by how many plies to change the depth of the re-search after a reduced search.

    ``ahead`` is its score minus the best one so far, in centipawns (Stockfish). In a PV node the
    re-search is never shallower.
    """
    return np.int64(ahead > _deeper(th)) - np.int64(not is_pv and ahead < _shallower(th))
