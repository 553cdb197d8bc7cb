"""What a move is called, by lichess's rules (lila's ``Advice``)."""

from collections.abc import Sequence
from enum import IntEnum

from chess.engine import Cp, Score

from uci.apps.analyse.chances import chances

THRESHOLDS = (5.0, 10.0, 15.0)
"""Points of win percentage that an inaccuracy, a mistake, a blunder lose: 54, 110 and 168
centipawns in an even position. Others often quote 5, 10, 20."""

NEAR_MATE, FAR_FROM_MATE = 999, 700
"""Centipawns: with more, being mated or missing a mate is less of a blunder."""


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


def verdict(before: Score, after: Score, thresholds: Sequence[float] = THRESHOLDS) -> Verdict:
    """Judge a move by the scores before and after it, from the mover's view.

    A best move is not judged at all: ask that first. ``thresholds`` are points of win percentage.
    """
    if before.is_mate() or after.is_mate():
        return _of_mates(before, after)
    lost = 50 * (chances(before) - chances(after))
    reached = sum(lost >= threshold for threshold in thresholds)
    return SCALE[reached]


def _of_mates(before: Score, after: Score) -> Verdict:
    """Judge a move where a mate comes or goes."""
    mating, mated = _mate(before) > 0, _mate(after) < 0
    if mating and _mate(after) > 0:
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


def _mate(score: Score) -> int:
    """Return 1 for a mate given, -1 for one suffered, 0 for none."""
    if not score.is_mate():
        return 0
    return 1 if score > Cp(0) else -1
