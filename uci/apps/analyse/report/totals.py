"""Totals over many games: by player, and by opening."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean

from uci.apps.games.analysis_document import AnalysedGame, SideTotals
from uci.apps.games.pgn_headers import known_tag

SCORES = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


@dataclass(slots=True)
class Standing:
    """Results in games of a player or opening: ``points`` of finished games, from the side's
    view."""

    name: str
    games: int = 0
    finished: int = 0
    points: float = 0.0
    accuracies: list[float] = field(default_factory=list)
    losses: list[int] = field(default_factory=list)

    def add(self, points: float | None, side: SideTotals | None) -> None:
        """Add a game, with the totals of ``side`` if it was judged."""
        self.games += 1
        if points is not None:
            self.finished += 1
            self.points += points
        if side and side.accuracy is not None:
            self.accuracies.append(side.accuracy)
        if side and side.centipawn_loss is not None:
            self.losses.append(side.centipawn_loss)

    @property
    def score(self) -> float | None:
        """Points in percent of the finished games."""
        return 100 * self.points / self.finished if self.finished else None

    @property
    def accuracy(self) -> float | None:
        """The mean over the games, in percent."""
        return fmean(self.accuracies) if self.accuracies else None

    @property
    def loss(self) -> float | None:
        """The average centipawn loss over the games."""
        return fmean(self.losses) if self.losses else None


class Totals:
    """Sums up games, added one by one."""

    def __init__(self) -> None:
        self._players: dict[str, Standing] = {}
        self._openings: dict[str, Standing] = {}

    def add(self, game: AnalysedGame) -> None:
        """Count a game of a document."""
        points = SCORES.get(game.result, (None, None))
        sides = ("White", game.white), ("Black", game.black)
        for (tag, side), mine in zip(sides, points, strict=True):
            if name := known_tag(game.headers, tag):
                self._players.setdefault(name, Standing(name)).add(mine, side)
        if game.opening:
            name = f"{game.opening.eco} {game.opening.name.partition(':')[0]}"
            self._openings.setdefault(name, Standing(name)).add(points[0], game.white)

    @property
    def players(self) -> list[Standing]:
        """The standings of players, most games first."""
        return _sorted(self._players.values())

    @property
    def openings(self) -> list[Standing]:
        """The standings of openings, from White's view, most games first."""
        return _sorted(self._openings.values())


def _sorted(totals: Iterable[Standing]) -> list[Standing]:
    return sorted(totals, key=lambda total: (-total.games, total.name.casefold()))
