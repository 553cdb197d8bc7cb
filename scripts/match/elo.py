"""Elo differences with their errors, and a sequential test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

Z95 = 1.96
"""Standard deviations on each side of the mean that cover 95 % of a normal distribution."""

_NORMALISED = 800 / math.log(10) / math.sqrt(2)
"""Normalised Elo per standard deviation of a pair's score (Michel Van den Bergh, 2020)."""

_PSEUDOCOUNT = 1e-3
"""Added to the count of every result, so that the variance is never 0, as in fastchess."""


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


@dataclass
class PairResults:
    """The results of pairs of games, from one side's view.

    ``pairs`` counts them by their points (0, ½, 1, 1½, 2), ``games`` counts losses, draws, wins.
    """

    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    games: list[int] = field(default_factory=lambda: [0] * 3)

    def add(self, points: Sequence[float]) -> None:
        """Count a pair of games by the points of each, 0, ½ or 1."""
        self.pairs[round(2 * sum(points))] += 1
        for point in points:
            self.games[round(2 * point)] += 1

    @property
    def score(self) -> float:
        """The score as a share of the points."""
        return sum(i * count for i, count in enumerate(self.pairs)) / (4 * sum(self.pairs))

    @property
    def deviation(self) -> float:
        """The standard deviation of a pair's score, never 0."""
        counts = [count + _PSEUDOCOUNT for count in self.pairs]
        squares = sum(n * (i / 4 - self.score) ** 2 for i, n in enumerate(counts))
        return math.sqrt(squares / sum(counts))

    def error(self) -> float:
        """Return half the width of the 95 % interval of the difference in Elo."""
        margin = Z95 * self.deviation / math.sqrt(sum(self.pairs))
        return (elo(self.score + margin) - elo(self.score - margin)) / 2

    def llr(self, low: float, high: float) -> float:
        """Return the log-likelihood ratio of ``high`` against ``low`` normalised Elo.

        It uses the normal approximation, which is good for sides of similar strength.
        """
        found = (self.score - 0.5) / self.deviation
        first, second = low / _NORMALISED, high / _NORMALISED
        return sum(self.pairs) * (second - first) * (found - (first + second) / 2)

    def __str__(self) -> str:
        losses, draws, wins = self.games
        return (
            f"+{wins} ={draws} -{losses} ({sum(self.games)} games, {100 * self.score:.1f} %),"
            f" pairs {self.pairs}, Elo {elo(self.score):+.1f} ± {self.error():.1f} (95 %)"
        )


def llr_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Return the log-likelihood ratios at which a sequential test with these risks ends (Abraham
    Wald, 1945)."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
