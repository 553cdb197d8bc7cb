"""What was seen in positions, with its scores on Stockfish's scale."""

from collections.abc import Iterable
from dataclasses import replace

from uci.apps.analyse.analyst import Look
from uci.apps.games.stockfish_scale import KNOTS, Knots, on_stockfish_scale


def rescaled(looks: Iterable[Look], knots: Knots = KNOTS) -> list[Look]:
    """Return what was seen with the scores on Stockfish's scale; mates stay."""
    return [
        Look(
            tuple(
                line if line.cp is None else replace(line, cp=on_stockfish_scale(line.cp, knots))
                for line in look.lines
            )
        )
        for look in looks
    ]
