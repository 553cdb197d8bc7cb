"""Lichess's rules: winning chances from scores, names of bad moves, accuracy of a game.

The curve of winning chances was fitted to games of people, with scores of Stockfish (lila's pull
request 11148); `uci.strength.wdl` has the engine's own. Bad moves are those of lila's ``Advice``,
accuracies those of its ``AccuracyPercent``: a move loses chances to win, and a game is the mean of
its moves, where moves in volatile positions have more weight.
"""

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import chess
from chess.engine import Cp, PovScore, Score

from uci.apps.console.rounding import half_up

LIMIT = 1000
"""Centipawns beyond which all chances are alike; a mate counts as so many."""

STEEPNESS = 0.00368208

THRESHOLDS = (5.0, 10.0, 15.0)
"""Points of win percentage that an inaccuracy, a mistake, a blunder lose: 54, 110 and 168
centipawns in an even position. Others often quote 5, 10, 20."""

NEAR_MATE, FAR_FROM_MATE = 999, 700
"""Centipawns: with more of them, allowing or missing a mate is less than a blunder."""


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


class Verdict(IntEnum):
    """How bad a move is; the value is its NAG in PGN, but for none."""

    NONE = 0
    MISTAKE = 2
    BLUNDER = 4
    INACCURACY = 6

    @property
    def glyph(self) -> str:
        """What stands behind the move."""
        return {"NONE": "", "INACCURACY": "?!", "MISTAKE": "?", "BLUNDER": "??"}[self.name]

    @property
    def severity(self) -> int:
        """0 to 3."""
        return SCALE.index(self)


SCALE = (Verdict.NONE, Verdict.INACCURACY, Verdict.MISTAKE, Verdict.BLUNDER)


def classify(before: Score, after: Score, thresholds: Sequence[float] = THRESHOLDS) -> Verdict:
    """Return how bad a move is by the scores before and after it, from the mover's view.

    The engine's own choice is never bad: the caller excludes it. ``thresholds`` are points of win
    percentage.
    """
    if before.is_mate() or after.is_mate():
        return _classify_mate(before, after)
    lost = 50 * (chances(before) - chances(after))
    reached = sum(lost >= threshold for threshold in thresholds)
    return SCALE[reached]


def _classify_mate(before: Score, after: Score) -> Verdict:
    """Return how bad a move is that allows or misses a mate."""
    mating, mated = _mate_sign(before) > 0, _mate_sign(after) < 0
    if mating and _mate_sign(after) > 0:
        return Verdict.NONE  # a slower mate is a mate
    if mating:  # lost: what is left?
        left = after.score() or 0
        return _by_remainder(left)
    if mated and not before.is_mate():
        return _by_remainder(-(before.score() or 0))
    return Verdict.NONE


def _by_remainder(centipawns: int) -> Verdict:
    if centipawns > NEAR_MATE:
        return Verdict.INACCURACY
    return Verdict.MISTAKE if centipawns > FAR_FROM_MATE else Verdict.BLUNDER


def _mate_sign(score: Score) -> int:
    """Return 1 for a mate given, -1 for one suffered, 0 for none."""
    if not score.is_mate():
        return 0
    return 1 if score > Cp(0) else -1


def move_accuracy(before: float, after: float) -> float:
    """Return how accurate a move is in percent, from the mover's win percentages.

    A move that loses nothing is 100 %, one that loses 10 points 64 %.
    """
    if after >= before:
        return 100.0
    scale, decay, offset = 103.1668100711649, 0.04354415386953751, 3.166924740191411
    accuracy = scale * math.exp(-decay * (before - after)) - offset + 1  # one point of doubt
    return max(0.0, min(100.0, accuracy))


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The accuracy of both sides, in percent."""

    white: float
    black: float

    def of(self, color: chess.Color) -> float:
        """Return the accuracy of one side."""
        return self.white if color else self.black


def game_accuracy(
    scores: Sequence[PovScore], first: chess.Color, initial: PovScore
) -> Accuracy | None:
    """Return the accuracy of a game from the score after each of its plies.

    ``initial`` is the score of the position that ``first`` is to move in. None unless both sides
    moved.
    """
    wins = [win_percent(score.white()) for score in (initial, *scores)]
    size = max(2, min(8, len(scores) // 10))
    windows = [wins[:size]] * (min(size, len(wins)) - 2)
    windows += [wins[i : i + size] for i in range(len(wins) - size + 1)]
    weights = [max(0.5, min(12.0, statistics.pstdev(window))) for window in windows]
    moves: dict[chess.Color, list[tuple[float, float]]] = {chess.WHITE: [], chess.BLACK: []}
    mover = first
    for before, after, weight in zip(wins, wins[1:], weights, strict=False):
        accuracy = move_accuracy(before, after) if mover else move_accuracy(after, before)
        moves[mover].append((accuracy, weight))
        mover = not mover
    if not all(moves.values()):
        return None
    return Accuracy(_mean_accuracy(moves[chess.WHITE]), _mean_accuracy(moves[chess.BLACK]))


def _mean_accuracy(moves: Sequence[tuple[float, float]]) -> float:
    """Return the middle of the weighted mean and of the harmonic one, which dwells on the worst."""
    weighted = statistics.fmean([move[0] for move in moves], [move[1] for move in moves])
    harmonic = statistics.harmonic_mean([max(1.0, accuracy) for accuracy, _ in moves])
    return (weighted + harmonic) / 2


def centipawn_loss(
    scores: Sequence[PovScore], color: chess.Color, initial: PovScore, first: chess.Color
) -> int | None:
    """Return one side's mean loss in centipawns, of scores within 1000; None without moves.

    A move after which the score is better than before loses nothing.
    """
    values = [limited(score.pov(color)) for score in (initial, *scores)]
    start = 0 if first == color else 1
    losses = [
        max(0, before - after) for before, after in list(itertools.pairwise(values))[start::2]
    ]
    return half_up(statistics.fmean(losses)) if losses else None
