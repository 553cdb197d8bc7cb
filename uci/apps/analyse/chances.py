"""Winning chances from scores, on lichess's scale.

It was fitted to Stockfish's centipawns in games of people (lila's pull request 11148), and is what
players know; `uci.strength.wdl` has the engine's own.
"""

import math

from chess.engine import Cp, Score

LIMIT = 1000
"""Centipawns beyond which all chances are alike; a mate counts as so many."""

STEEPNESS = 0.00368208


def win_percent(score: Score) -> float:
    """Return the chance to win in percent (0 to 100), for the side that ``score`` is of.

    100 centipawns are 59.1 %, 300 75.1 %, a mate 97.5 %.
    """
    return 50 + 50 * chances_of(limited(score))


def chances(score: Score) -> float:
    """Return the winning chances from -1 to 1, of a score that is not limited.

    A mate is 1 or -1: verdicts have rules of their own for it.
    """
    centipawns = score.score()
    if centipawns is None:
        return 1.0 if score > Cp(0) else -1.0
    return chances_of(centipawns)


def chances_of(centipawns: int) -> float:
    """Return the winning chances from -1 to 1."""
    return 2 / (1 + math.exp(-STEEPNESS * centipawns)) - 1


def limited(score: Score) -> int:
    """Return a score in centipawns, within `LIMIT`."""
    return max(-LIMIT, min(LIMIT, score.score(mate_score=100 * LIMIT)))
