"""Numbers for people, rounded as lichess does: a half goes up, and not to the even neighbour."""

import math


def half_up(value: float) -> int:
    """Return the nearest whole number: of 84.5 it is 85."""
    return math.floor(value + 0.5)


def in_pawns(centipawns: int) -> str:
    """Return a score in pawns with its sign, as ``+1.25``; an even one is ``0.00``."""
    return f"{centipawns / 100:+.2f}" if centipawns else "0.00"


def rounded(value: float, digits: int = 0) -> str:
    """Return ``value`` with so many digits behind the point, as `rounded` of ``page.js``."""
    scale = 10**digits
    return f"{half_up(value * scale) / scale:.{digits}f}"
