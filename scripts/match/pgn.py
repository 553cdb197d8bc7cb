"""The results of games in PGN files, as tournament managers write them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

OUR_NAME = "Pythagoras"

POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""White's points, by the tag ``Result``."""

ORDINARY = frozenset({"normal", "adjudication"})
"""Values of the tag ``Termination`` for games without crash, illegal move or loss on time."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game against ``opponent``; ``points`` are ours, None if it did not end."""

    opponent: str
    round: str
    points: float | None
    ending: str

    @property
    def is_ordinary(self) -> bool:
        """Whether the game ended by the rules or by adjudication."""
        return self.ending in ORDINARY

    @property
    def is_defect(self) -> bool:
        """Whether we lost by a crash, an illegal move or on time."""
        return self.points == 0.0 and not self.is_ordinary


def ending_of(headers: chess.pgn.Headers) -> str:
    """Return how a game ended; empty for most that ended by the rules."""
    return headers.get("Termination", "normal")


def read_games(path: Path) -> Iterator[Game]:
    """Yield our games of a PGN file. Raises `OSError`."""
    with path.open(encoding="utf-8", errors="replace") as file:
        while (headers := chess.pgn.read_headers(file)) is not None:
            white, black = headers.get("White", "?"), headers.get("Black", "?")
            if OUR_NAME not in (white, black):
                continue
            points = POINTS.get(headers.get("Result", "*"))
            if points is not None and white != OUR_NAME:
                points = 1 - points
            opponent = black if white == OUR_NAME else white
            yield Game(opponent, headers.get("Round", "?"), points, ending_of(headers))
