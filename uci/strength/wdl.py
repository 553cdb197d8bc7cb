"""Win, draw and loss probabilities of a score: a logistic model."""

from math import exp

from engine.search.score import MATE_IN_MAX

HALF_WON = 117.6
"""The score in centipawns at which half of the games are won."""

SLOPE = 39.5
"""Centipawns that change the odds by a factor of e. `scripts.measure.fit_wdl` fitted both."""

DRAW = 0, 1000, 0
"""WDL in permille of a draw by rule."""


def wdl(score: int) -> tuple[int, int, int]:
    """Return win, draw and loss in permille, summing to 1000, for the side to move.

    ``score`` is in centipawns or a mate score, for which the result is certain.
    """
    if abs(score) >= MATE_IN_MAX:
        return (1000, 0, 0) if score > 0 else (0, 0, 1000)
    win, loss = _won(score), _won(-score)
    return win, 1000 - win - loss, loss


def _won(score: int) -> int:
    return round(1000 / (1 + exp(min((HALF_WON - score) / SLOPE, 50.0))))
