"""Our scores on Stockfish's scale, for which lichess's curve of winning chances was fitted.

Rules that speak of centipawns, and the curve, mean those of Stockfish. Ours are less than half as
large where little is decided, so scores are converted before they are judged or shown.
`scripts.measure.fit_scale` found the table, with Stockfish 15.1.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

Knots: TypeAlias = Sequence[tuple[int, int]]
"""Our centipawns and Stockfish's, from (0, 0) on; lines between them, and the last one goes on."""

KNOTS: Knots = ((0, 0), (267, 600), (1267, 850))


def on_stockfish_scale(centipawns: int, knots: Knots = KNOTS) -> int:
    """Return a score of ours in Stockfish's centipawns."""
    size = abs(centipawns)
    pieces = list(pairwise(knots))
    (x, y), (to_x, to_y) = next((each for each in pieces if size <= each[1][0]), pieces[-1])
    found = round(y + (size - x) * (to_y - y) / (to_x - x))
    return found if centipawns >= 0 else -found
