"""Rounds numbers for display as lichess does: halves are rounded up, not to even."""

import math


def half_up(value: float) -> int:
    """Return the nearest whole number; 84.5 becomes 85."""
    return math.floor(value + 0.5)


def in_pawns(centipawns: int) -> str:
    """Return a score in pawns with its sign, such as ``+1.25``; an equal score is ``0.00``."""
    return f"{centipawns / 100:+.2f}" if centipawns else "0.00"


def rounded(value: float, digits: int = 0) -> str:
    """Return ``value`` with ``digits`` decimals, as ``rounded`` in ``page.js`` does."""
    scale = 10**digits
    return f"{half_up(value * scale) / scale:.{digits}f}"
