"""How accurately a game was played, as lichess counts it (lila's ``AccuracyPercent``).

A move loses chances to win; a game is the mean of its moves, those in wild positions weighing more.
"""

import itertools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import chess
from chess.engine import PovScore

from uci.apps.analyse.chances import limited, win_percent
from uci.apps.console.rounding import half_up


def move_accuracy(before: float, after: float) -> float:
    """Return how accurate a move is in percent, from the mover's win percentages.

    No loss is 100 %; 10 points of loss are 64 %.
    """
    if after >= before:
        return 100.0
    scale, decay, offset = 103.1668100711649, 0.04354415386953751, 3.166924740191411
    accuracy = scale * math.exp(-decay * (before - after)) - offset + 1  # one point of doubt
    return max(0.0, min(100.0, accuracy))


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of both sides, in percent."""

    white: float
    black: float

    def of(self, color: chess.Color) -> float:
        """Return that of one side."""
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
    return Accuracy(_mean(moves[chess.WHITE]), _mean(moves[chess.BLACK]))


def _mean(moves: Sequence[tuple[float, float]]) -> float:
    """Return the middle of the weighted mean and of the harmonic one, which dwells on the worst."""
    weighted = statistics.fmean([move[0] for move in moves], [move[1] for move in moves])
    harmonic = statistics.harmonic_mean([max(1.0, accuracy) for accuracy, _ in moves])
    return (weighted + harmonic) / 2


def centipawn_loss(
    scores: Sequence[PovScore], color: chess.Color, initial: PovScore, first: chess.Color
) -> int | None:
    """Return the mean loss of one side's moves in centipawns, of scores within 1000; None for none.

    A move that the engine likes better than the one before loses nothing.
    """
    values = [limited(score.pov(color)) for score in (initial, *scores)]
    start = 0 if first == color else 1
    losses = [
        max(0, before - after) for before, after in list(itertools.pairwise(values))[start::2]
    ]
    return half_up(statistics.fmean(losses)) if losses else None
