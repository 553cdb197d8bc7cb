"""Fit ``ANCHORS`` below Stockfish's lowest ``UCI_Elo``: matches between neighbouring levels.

Usage: python -m scripts.measure.fit_low_elo [--levels 3.2,1.6,0,-2,-4,-7] [--games 200] …

The first level has the Elo that is given. The score of each match is the difference to the next
level, so all others follow. At the end the lowest level plays a mover that chooses among the legal
moves at random. Nothing depends on time: the same seed gives the same games.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from scripts.console import print_table
from scripts.match.command_line import command_line, even_number
from scripts.match.elo import elo, wilson_interval
from scripts.match.openings import read_openings, shuffled
from scripts.match.pgn import POINTS
from scripts.match.runner import OPENINGS
from scripts.measure.weak_games import play
from uci.session.backend import Backend
from uci.strength.limited_strength import FULL_LEVEL, LOWEST_LEVEL, Strength

PLIES = 400
"""A longer game is a draw."""

HEADER = "level", "against", "games", "=", "score", "95 %", "difference", "95 %", "Elo"


@dataclass(frozen=True, slots=True)
class Match:
    """A level's points (0, ½ or 1) in games with the next one, ``None`` for random moves."""

    level: float
    against: float | None
    points: tuple[float, ...]

    @property
    def difference(self) -> float:
        """The Elo between the levels, finite at a score of 100 %: half a point is added to each."""
        return elo((sum(self.points) + 0.5) / (len(self.points) + 1))


def play_match(
    level: float, against: float | None, openings: Sequence[str], rng: random.Random
) -> Match:
    """Play each opening twice, with both colours."""
    players = Backend(), Backend()
    pair = Strength(level), None if against is None else Strength(against)
    points = []
    for fen in openings:
        for order in (pair, pair[::-1]):
            for player in players:
                player.searcher.clear()
            board = play(players, fen, order, PLIES, rng).board
            white = POINTS.get(board.result(claim_draw=True), 0.5)  # unfinished: a draw
            points.append(white if order is pair else 1 - white)
    return Match(level, against, tuple(points))


def anchors(matches: Sequence[Match], first: float) -> Iterator[tuple[float, float]]:
    """Yield Elo and level of every level that played, where the highest one has ``first`` Elo."""
    strength = first
    for match in matches:
        yield round(strength), match.level
        strength -= match.difference


def table(matches: Sequence[Match], first: float) -> Iterator[tuple[str, ...]]:
    """Yield a row for each match; its Elo is that of the weaker side."""
    strength = first
    for match in matches:
        strength -= match.difference
        low, high = wilson_interval(match.points)
        yield (
            *(f"{match.level:g}", "random" if match.against is None else f"{match.against:g}"),
            *(f"{len(match.points)}", f"{match.points.count(0.5)}"),
            f"{100 * sum(match.points) / len(match.points):.1f} %",
            *(f"{100 * low:.1f} to {100 * high:.1f} %", f"{match.difference:.0f}"),
            *(f"{elo(low):.0f} to {elo(high):.0f}", f"{strength:.0f}"),
        )


def _levels(text: str) -> list[float]:
    levels = sorted({float(word) for word in text.split(",")}, reverse=True)
    if not levels or levels[0] >= FULL_LEVEL or levels[-1] < LOWEST_LEVEL:
        raise ValueError(text)
    return levels


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fit_low_elo", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--levels",
        type=_levels,
        default="3.2,1.6,0,-2,-4,-7",
        help="levels, separated by commas (%(default)s)",
    )
    parser.add_argument("--elo", type=float, default=1350, help="Elo of the highest level (1350)")
    parser.add_argument(
        "--games", type=even_number, default=200, help="games of each match, even (200)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument(
        "--openings", type=Path, default=OPENINGS, help="EPD file of openings (%(default)s)"
    )
    return parser.parse_args(arguments)


@command_line("fit_low_elo")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    suite = read_openings(options.openings)
    matches = []
    for level, against in pairwise([*options.levels, None]):
        rng = random.Random(f"{options.seed} {level}")
        openings = shuffled(suite, rng.randrange(2**32), options.games // 2)
        matches.append(play_match(level, against, openings, rng))
        print(f"{level:g}: {sum(matches[-1].points):g} of {options.games} points", flush=True)
    print_table(HEADER, table(matches, options.elo))
    found = sorted(anchors(matches, options.elo))
    print(f"ANCHORS = ({', '.join(map(str, found))}, ...)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
