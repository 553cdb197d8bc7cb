"""Pruning by the transposition table and by the static evaluation.

The latter prunes whole nodes only outside PV nodes and away from mate scores, and moves anywhere,
once another has avoided mate. It starts from `engine.search.static_eval.refined_evaluation`;
margins are centipawns, depths plies.

Futility is Ernst Heinz's (1998), reverse futility its mirror image at beta; late move pruning
came with Glaurung and Stockfish, by the exchange with Ethereal.
"""

from engine.board.annotations import Count, Depth, Flag, Move, MoveCount, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.see import see_at_least
from engine.board.types import BISHOP, KNIGHT, QUEEN, ROOK
from engine.jit.kernel import kernel
from engine.search.parameters import parameter
from engine.search.thread_data import Entry, ThreadData
from engine.search.tt import EXACT, LOWER, UPPER, entry_bound, entry_depth, entry_score

NULL_VERIFICATION_DEPTH = 14
"""Depth from which a null move that fails high is verified (Omid David-Tabibi, 2002)."""

_reverse_margin = parameter("ReverseMargin", 24, 8, 80, 5)
_reverse_improving = parameter("ReverseImproving", 10, 0, 80, 5)
_null_surplus = parameter("NullSurplus", 68, 20, 200, 12)
_null_base = parameter("NullBase", 33, -40, 150, 10)
_null_slope = parameter("NullSlope", 6, 0, 20, 1)
_late_base = parameter("LateBase", 833, 100, 1600, 120)
_late_slope = parameter("LateSlope", 114, 40, 220, 12)
_futility_base = parameter("FutilityBase", 30, 5, 120, 8)
_futility_margin = parameter("FutilityMargin", 41, 8, 80, 5)
_see_quiet = parameter("SeeQuiet", 64, 20, 150, 10)
_see_noisy = parameter("SeeNoisy", 26, 8, 70, 5)


@kernel
def tt_cutoff(
    pos: Position, th: ThreadData, ply: Ply, tt_data: Entry, depth: Depth, alpha: Score, beta: Score
) -> Flag:
    """Return whether a table entry cuts off the node: never a PV node, whose line it lacks.

    Nor near the fifty-move rule, since the entry does not depend on the halfmove clock.
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
    th: ThreadData, depth: Depth, refined_eval: Score, improving: Count, beta: Score
) -> Flag:
    """Return whether the evaluation is so far above ``beta`` that the node fails high."""
    return depth <= 8 and (
        refined_eval - _reverse_margin(th) * depth + _reverse_improving(th) * improving >= beta
    )


@kernel
def null_move_allowed(
    pos: Position,
    th: ThreadData,
    depth: Depth,
    static_eval: Score,
    refined_eval: Score,
    beta: Score,
) -> Flag:
    """Return whether to try a null move: not with king and pawns alone, because of zugzwang."""
    heavy = pos.by_type[KNIGHT] | pos.by_type[BISHOP] | pos.by_type[ROOK] | pos.by_type[QUEEN]
    return (
        depth >= 3
        and refined_eval >= beta
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
def futility(th: ThreadData, depth: Depth, refined_eval: Score, alpha: Score) -> Flag:
    """Return whether the evaluation is so far below ``alpha`` that quiet moves are pruned."""
    return depth <= 6 and refined_eval + _futility_base(th) + _futility_margin(th) * depth <= alpha


@kernel
def see_prune(pos: Position, th: ThreadData, depth: Depth, move: Move, quiet: Flag) -> Flag:
    """Return whether ``move`` is pruned: the exchange loses too much for ``depth`` plies."""
    allowed = _see_quiet(th) * depth if quiet else _see_noisy(th) * depth * depth
    return depth <= 8 and not see_at_least(pos, move, -allowed)
