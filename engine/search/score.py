"""Scores: centipawns, and mate scores beyond every evaluation."""

from engine.board.types import MAX_PLY

MATE = 32000
"""The score of giving mate at once; a mate ``n`` plies away scores ``MATE - n``."""

INFINITE = 32001
"""Beyond every score: the widest search window."""

MATE_IN_MAX = MATE - MAX_PLY
"""The least score of a mate."""

TB_WIN = 20000
"""The score of a win by the tablebases at once, beyond every evaluation; one that a capture or pawn
move ``n`` plies away brings about scores ``TB_WIN - n``."""

TB_WIN_IN_MAX = TB_WIN - MAX_PLY
"""The least score of a win that is proved, by the tablebases or by a mate."""


def moves_to_mate(score: int) -> int | None:
    """Return the full moves to mate, negative when being mated, 0 when mated.

    ``None`` when ``score`` (centipawns or a mate score, from the side to move) is not a mate score.
    """
    if score >= MATE_IN_MAX:
        return (MATE - score + 1) // 2
    if score <= -MATE_IN_MAX:
        return -((MATE + score + 1) // 2)
    return None
