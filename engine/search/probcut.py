"""ProbCut (Michael Buro, 1994): a capture that fails far above beta in a shallow search is taken to
fail high in a deep one too.
"""

from engine.board.annotations import Depth, Flag, Move, Ply, Position, Score
from engine.board.bitboard import NOTHING
from engine.board.see import see_at_least
from engine.jit.kernel import kernel
from engine.search.parameters import parameter
from engine.search.score import TB_WIN_IN_MAX
from engine.search.thread_data import Entry, ThreadData
from engine.search.tt import entry_depth, entry_score

PROBCUT_REDUCTION = 4
"""Plies by which the search is shallower."""

_margin = parameter("ProbCutMargin", 65, 20, 120, 10)

_SEE_SCALE = 3
"""Centipawns of `engine.board.see` that a capture must win for each centipawn of the network up to
the raised beta. Half of it would be the exchange rate, and plays as well."""


@kernel
def probcut_beta(th: ThreadData, beta: Score) -> Score:
    """Return the raised beta in centipawns that a capture has to reach."""
    return beta + _margin(th)


@kernel
def may_probcut(tt_data: Entry, ply: Ply, depth: Depth, probcut_bound: Score) -> Flag:
    """Return whether to try ProbCut: the table does not rule out ``probcut_bound``."""
    return (
        depth >= 6
        and abs(probcut_bound) < TB_WIN_IN_MAX
        and (
            tt_data == NOTHING
            or entry_depth(tt_data) < depth - PROBCUT_REDUCTION + 1
            or entry_score(tt_data, ply) >= probcut_bound
        )
    )


@kernel
def probcut_see(pos: Position, move: Move, gain: Score) -> Flag:
    """Return whether the exchange surely wins ``gain`` centipawns of the network."""
    return see_at_least(pos, move, gain * _SEE_SCALE)
