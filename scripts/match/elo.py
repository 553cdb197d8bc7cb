"""Elo differences from scores."""

import math
from collections.abc import Sequence

Z95 = 1.96
"""Standard deviations on each side of the mean that cover 95 % of a normal distribution."""


def elo(score: float) -> float:
    """Return the Elo difference of a ``score``: infinite at 0 and 1, and beyond."""
    if not 1e-9 < score < 1 - 1e-9:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def wilson_interval(points: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the expected score, for results of 0, ½ and 1.

    It is Edwin Wilson's interval (1927), which is valid at 0 % and 100 %, too. Draws lower the
    variance: the interval is that of the number of games without draws that has the same variance.
    """
    mean = sum(points) / len(points)
    variance = sum((point - mean) ** 2 for point in points) / len(points)
    bernoulli = mean * (1 - mean)
    number = len(points) * (bernoulli / variance if variance else 1.0)
    shift, divisor = Z95 * Z95 / number, 1 + Z95 * Z95 / number
    half = Z95 * math.sqrt(bernoulli / number + shift / number / 4)
    return (mean + shift / 2 - half) / divisor, (mean + shift / 2 + half) / divisor
