"""Threats: what the opponent would win if the side to move passed.

The search after a null move is that of "Show threat" in ChessBase and on lichess. They show its
line in every position; here most positions have no threat.
"""

from collections.abc import Sequence

import chess
from chess.engine import Cp

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.judge import is_decided, read_line, retakes
from uci.apps.analyse.lichess import classify
from uci.apps.analyse.report.material import Gain
from uci.apps.games.passing import after_pass
from uci.protocol.scored_line import ScoredLine


def threat_in(
    board: chess.Board, last: chess.Move | None, analysis: PositionAnalysis,
    thresholds: Sequence[float],
) -> ScoredLine | None:  # fmt: skip
    """Return the opponent's line after a pass if it is a threat, otherwise None.

    It is one if a pass would be at least an inaccuracy, and the line mates or gains material that
    the opponent does not gain anyway. If the best move captures what the ``last`` move moved, there
    is none: every exchange would be a threat.
    """
    if analysis.threat is None or not analysis.lines[0].pv:
        return None
    mover, passed = board.turn, after_pass(board)
    best, line = read_line(board, analysis.lines[0]), read_line(passed, analysis.threat)
    now, then = best.score.pov(mover), line.score.pov(mover)
    if is_decided(best.score, line.score, mover) or not classify(now, then, thresholds):
        return None
    if retakes(board, best.moves[0], last):
        return None
    if then.is_mate():
        return analysis.threat if then < Cp(0) else None
    gain = Gain.of(passed, analysis.threat.pv, not mover)
    anyway = Gain.of(board, analysis.lines[0].pv, not mover)
    gains = gain.points > max(0, anyway.shown) and gain.agrees(-(then.score() or 0))
    return analysis.threat if gains else None
