"""Scores in centipawns, and mates counted from a bound that no evaluation reaches."""

from engine.board.types import MAX_PLY

MATE = 32000
"""The score of giving mate at once; a mate ``n`` plies away scores ``MATE - n``."""

INFINITE = 32001
"""Beyond every score: the widest search window."""

MATE_IN_MAX = MATE - MAX_PLY
"""Scores from here on are mates, and not evaluations."""


def moves_to_mate(score: int) -> int | None:
    """Return the full moves to mate, negative for being mated, 0 for mated already.

    ``None`` when ``score`` (centipawns or a mate score, from the side to move) is no mate.
    """
    if score >= MATE_IN_MAX:
        return (MATE - score + 1) // 2
    if score <= -MATE_IN_MAX:
        return -((MATE + score + 1) // 2)
    return None
