"""Converts our scores to Stockfish's scale, for which lichess's winning chances were fitted.

Rules in centipawns, and the curve, refer to Stockfish's. Ours are less than half as large in
balanced positions, so scores are converted before they are judged or shown.
`scripts.measure.fit_scale` fitted the table, with Stockfish 15.1.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

Knots: TypeAlias = Sequence[tuple[int, int]]
"""Our centipawns and Stockfish's, from (0, 0); interpolated, and extrapolated beyond the last."""

KNOTS: Knots = ((0, 0), (267, 600), (1267, 850))


def on_stockfish_scale(centipawns: int, knots: Knots = KNOTS) -> int:
    """Return a score of ours in Stockfish's centipawns."""
    size = abs(centipawns)
    pieces = list(pairwise(knots))
    (x, y), (to_x, to_y) = next((each for each in pieces if size <= each[1][0]), pieces[-1])
    found = round(y + (size - x) * (to_y - y) / (to_x - x))
    return found if centipawns >= 0 else -found
