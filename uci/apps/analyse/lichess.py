"""Lichess's rules: winning chances from scores, names of bad moves, accuracy of a game.

The curve of winning chances was fitted to human games with Stockfish's scores (lila's pull request
11148); `uci.strength.wdl` has the engine's own. Bad moves are those of lila's ``Advice``,
accuracies those of its ``AccuracyPercent``: a move's accuracy depends on the win percentage it
loses. A game's is the mean over its moves, with more weight on moves in volatile positions.
"""

import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from enum import IntEnum

import chess
from chess.engine import Cp, PovScore, Score

from uci.apps.console.rounding import half_up

LIMIT = 1000
"""Scores are clamped to this many centipawns; a mate counts as this many."""

STEEPNESS = 0.00368208

THRESHOLDS = (5.0, 10.0, 15.0)
"""Minimum loss of an inaccuracy, a mistake and a blunder in win percentage points: 54, 110 and 168
centipawns in an equal position. Other sources often quote 5, 10, 20."""

NEAR_MATE, FAR_FROM_MATE = 999, 700
"""With a better score than this, in centipawns, allowing or missing a mate is not a blunder."""


def win_percent(score: Score) -> float:
    """Return the winning chance in percent (0 to 100), for the side of ``score``.

    100 centipawns are 59.1 %, 300 75.1 %, a mate 97.5 %.
    """
    return 50 + 50 * chances_of(limited(score))


def chances(score: Score) -> float:
    """Return the winning chances from -1 to 1 of a score, without clamping it.

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
    """Return a score in centipawns, clamped to ±`LIMIT`."""
    return max(-LIMIT, min(LIMIT, score.score(mate_score=100 * LIMIT)))


class Verdict(IntEnum):
    """How bad a move is; the value is its NAG in PGN, except for ``NONE``."""

    NONE = 0
    MISTAKE = 2
    BLUNDER = 4
    INACCURACY = 6

    @property
    def glyph(self) -> str:
        """The mark of the move, such as ``?!``."""
        return {"NONE": "", "INACCURACY": "?!", "MISTAKE": "?", "BLUNDER": "??"}[self.name]

    @property
    def severity(self) -> int:
        """From 0 (none) to 3 (blunder)."""
        return SCALE.index(self)


SCALE = (Verdict.NONE, Verdict.INACCURACY, Verdict.MISTAKE, Verdict.BLUNDER)


def classify(before: Score, after: Score, thresholds: Sequence[float] = THRESHOLDS) -> Verdict:
    """Return how bad a move is by the scores before and after it, from the mover's view.

    The engine's own choice is never bad; the caller excludes it. ``thresholds`` are in win
    percentage points.
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
        return Verdict.NONE  # a slower mate is still a mate
    if mating:  # the mate was lost: judge by the score that remains
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
    """Return 1 for a mate by the side, -1 for a mate against it, 0 for no mate."""
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
    # The added point is lila's, for uncertainty.
    accuracy = scale * math.exp(-decay * (before - after)) - offset + 1
    return max(0.0, min(100.0, accuracy))


Accuracies = Mapping[chess.Color, float]
"""The accuracy of each side, in percent."""


def game_accuracy(
    scores: Sequence[PovScore], first: chess.Color, initial: PovScore
) -> Accuracies | None:
    """Return the accuracies of a game from the score after each of its plies.

    ``initial`` is the score of the first position, in which ``first`` is to move. None unless both
    sides moved.
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
    return {color: _mean_accuracy(each) for color, each in moves.items()}


def _mean_accuracy(moves: Sequence[tuple[float, float]]) -> float:
    """Return the average of the weighted mean and the harmonic mean, which stresses bad moves."""
    weighted = statistics.fmean([move[0] for move in moves], [move[1] for move in moves])
    harmonic = statistics.harmonic_mean([max(1.0, accuracy) for accuracy, _ in moves])
    return (weighted + harmonic) / 2


def centipawn_loss(
    scores: Sequence[PovScore], color: chess.Color, initial: PovScore, first: chess.Color
) -> int | None:
    """Return one side's mean loss in centipawns, with scores clamped to ±1000; None without moves.

    A move after which the score is better than before loses nothing.
    """
    values = [limited(score.pov(color)) for score in (initial, *scores)]
    start = 0 if first == color else 1
    losses = [
        max(0, before - after) for before, after in list(itertools.pairwise(values))[start::2]
    ]
    return half_up(statistics.fmean(losses)) if losses else None
