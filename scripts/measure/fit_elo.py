"""Fit ``ANCHORS`` of the limited strength: play at several Elo against Stockfish at the same Elo.

Usage: python -m scripts.measure.fit_elo [--elos 1400,1800,2200,2600] [--games 20] [--tc 5+0.05] …

The score at each Elo measures the strength of its level. Levels and strengths, made monotonic, are
the new anchors. The games are saved in ``.matches/elo-…``, and the same command resumes a stopped
run. A second run with the new anchors verifies them.
"""

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.console import print_table
from scripts.match.builds import MATCHES, MatchError, build
from scripts.match.command_line import add_match_options, add_new_option, command_line
from scripts.match.elo import elo, wilson_interval
from scripts.match.exit_status import INTERRUPTED
from scripts.match.pgn import OUR_NAME, read_games
from scripts.match.runner import (
    HASH_MB,
    find_engine,
    find_manager,
    find_openings,
    run_logged,
    tournament_arguments,
)
from uci.strength.limited_strength import ELO_HIGH, level_of

OPPONENT = "stockfish"

OPPONENT_LOW = 1350
"""The opponent's lowest ``UCI_Elo``."""


@dataclass(frozen=True, slots=True)
class Match:
    """The result at one Elo: the level played, and our points (0, ½ or 1) of each game."""

    nominal: int
    level: float
    points: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The score plus half a point of a drawn game, so that the Elo of 0 % is finite."""
        return (sum(self.points) + 0.5) / (len(self.points) + 1)

    @property
    def measured(self) -> float:
        """The Elo of the score."""
        return self.nominal + elo(self.mean)

    @property
    def weight(self) -> float:
        """The weight of the score: the inverse of its variance, up to a factor."""
        return (len(self.points) + 1) * self.mean * (1 - self.mean)


def fit(matches: Sequence[Match]) -> list[tuple[float, float]]:
    """Return anchors, Elo and level, both strictly ascending; at most one per match.

    If a higher level measured weaker, both become one anchor at their weighted mean. Raises
    `MatchError` if fewer than two are left.
    """
    blocks: list[tuple[float, float, float]] = []  # Elo, level, weight
    for match in sorted((m for m in matches if m.points), key=lambda m: m.level):
        block = (match.measured, match.level, match.weight)
        while blocks and (blocks[-1][0] >= block[0] or blocks[-1][1] >= block[1]):
            block = _mean(blocks.pop(), block)
        blocks.append(block)
    if len(blocks) < 2:
        raise MatchError(
            "the strength does not increase with the level: play more games, or use other levels"
        )
    return [(round(strength, 0), round(level, 2)) for strength, level, _ in blocks]


def _mean(
    one: tuple[float, float, float], two: tuple[float, float, float]
) -> tuple[float, float, float]:
    weight = one[2] + two[2]
    strength, level = ((one[i] * one[2] + two[i] * two[2]) / weight for i in (0, 1))
    return strength, level, weight


HEADER = "UCI_Elo", "level", "games", "score", "95 %", "measured", "95 %"


def table(matches: Sequence[Match]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each match in which a game was played."""
    for match in matches:
        if match.points:
            low, high = wilson_interval(match.points)
            score = sum(match.points) / len(match.points)
            yield (
                *(f"{match.nominal}", f"{match.level:.1f}", f"{len(match.points)}"),
                *(f"{100 * score:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %"),
                *(f"{match.measured:.0f}", _range(match.nominal, low, high)),
            )


def _range(nominal: int, low: float, high: float) -> str:
    return f"{nominal + elo(low):.0f} to {nominal + elo(high):.0f}"


def command(options: argparse.Namespace, engine: str, nominal: int, played: int) -> list[str]:
    """Return fastchess's command line for the remaining games at one Elo."""
    return [
        find_manager("fastchess"),
        *("-engine", f"cmd={engine}", f"name={OUR_NAME}"),
        *("-engine", f"cmd={options.opponent}", f"name={OPPONENT}"),
        *("-each", "option.UCI_LimitStrength=true", f"option.UCI_Elo={nominal}"),
        f"tc={options.tc}",
        *("option.Threads=1", f"option.Hash={HASH_MB}"),
        *tournament_arguments(
            options.games - played + 1,
            options.concurrency,
            find_openings(options.openings),
            options.seed + played,  # new openings
        ),
        *("-force-concurrency", "-recover"),
        *("-pgnout", f"file={nominal}.pgn", "append=true"),
    ]


def points(folder: Path, nominal: int) -> tuple[float, ...]:
    """Return our points in the games at one Elo, without those lost on time or by a crash."""
    pgn = folder / f"{nominal}.pgn"
    if not pgn.exists():
        return ()
    return tuple(
        game.points for game in read_games(pgn) if game.points is not None and game.is_ordinary
    )


def play(options: argparse.Namespace) -> list[Match]:
    """Play the missing games; return all results.

    Raises `MatchError`, and `KeyboardInterrupt` if stopped.
    """
    us = build(options.new)
    folder = MATCHES / f"elo-{us.key}-{options.tc.replace('/', 'in')}-seed{options.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    print(f"in {folder}", flush=True)
    for nominal in options.elos:
        played = len(points(folder, nominal))
        if played >= options.games:
            continue
        words = command(options, str(us.command), nominal, played)
        print(shlex.join(words), flush=True)
        status = run_logged(words, folder, lambda line: line.startswith(("Warning", "Score of")))
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        if status != 0:
            raise MatchError(f"fastchess failed with status {status}: see {folder / 'log.txt'}")
    return [Match(nominal, level_of(nominal), points(folder, nominal)) for nominal in options.elos]


def _elos(text: str) -> list[int]:
    elos = sorted({int(word) for word in text.split(",")})
    if not elos or elos[0] < OPPONENT_LOW or elos[-1] > ELO_HIGH:
        raise ValueError(text)
    return elos


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fit_elo", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--elos",
        type=_elos,
        default="1400,1800,2200,2600",
        help="Elo values, separated by commas (%(default)s)",
    )
    parser.add_argument("--games", type=int, default=20, help="games at each Elo (20)")
    parser.add_argument("--tc", default="5+0.05", help="seconds and increment (%(default)s)")
    parser.add_argument("--opponent", default=find_engine(OPPONENT), help="path of Stockfish")
    add_new_option(parser)
    add_match_options(parser)
    return parser.parse_args(arguments)


@command_line("fit_elo")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    if options.opponent is None:
        raise MatchError("Stockfish is required, but not installed")
    try:
        matches = play(options)
    except KeyboardInterrupt:
        print("fit_elo: stopped; run the same command again to resume", file=sys.stderr)
        return INTERRUPTED
    print_table(HEADER, table(matches))
    print(f"ANCHORS = ({', '.join(map(str, fit(matches)))})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
