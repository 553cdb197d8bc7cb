"""Play the working tree against engines of known strength, and show the scores.

Usage: python -m scripts.match.ladder [--games N] [--tc 10+0.1] [--against NAME,NAME] …, or
``make ladder``. See README.md in `scripts`; the exit status is 1 when our engine had a defect.
"""

import argparse
import math
import os
import re
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.match.builds import MATCHES, Trouble, build
from scripts.match.runner import (
    ADJUDICATION,
    HASH_MB,
    INTERRUPTED,
    OPENINGS,
    follow,
    manager,
    openings,
)

US = "Pythagoras"
DEFECT, TROUBLE = 1, 2
Z95 = 1.96

PLACES = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games"])
"""Where opponents are looked for; Debian's games are not on everybody's PATH."""

ORDINARY = frozenset({"normal", "adjudication"})
"""How a game may end, as cutechess-cli tells it in the games."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """A program of Debian's and the settings without which it would play another match."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    protocol: str = "uci"

    def words(self, path: str, tc: str) -> list[str]:
        """Return cutechess-cli's words for it."""
        return [
            *("-engine", f"name={self.name}", f"cmd={path}", f"proto={self.protocol}", f"tc={tc}"),
            *(f"arg={argument}" for argument in self.arguments),
            *(f"option.{name}={value}" for name, value in self.options.items()),
        ]


SINGLE = {"Threads": 1, "Hash": HASH_MB}
NO_BOOK = {"Hash": HASH_MB, "OwnBook": "false"}

OPPONENTS = (
    Opponent("stockfish", SINGLE),
    Opponent("ethereal-chess", SINGLE),
    Opponent("fairy-stockfish", SINGLE),
    Opponent("toga2", NO_BOOK | {"Number of Threads": 1}),
    Opponent("glaurung", NO_BOOK | {"Threads": 1}),  # starts with two
    Opponent("gnuchess", NO_BOOK, ("--uci",)),
    # No book, no pondering, no learning, a table of so many KiB: it has no options.
    Opponent("phalanx", {}, ("-b-", "-p-", "-l-", f"-t{HASH_MB * 1024}"), "xboard"),
)
"""Strongest first."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game as its tags tell it; ``points`` are ours, None where it did not end."""

    opponent: str
    round: str
    points: float | None
    ending: str

    @property
    def is_defect(self) -> bool:
        """Whether we lost it by a crash, an illegal move or on time."""
        return self.points == 0.0 and self.ending not in ORDINARY


def games(pgn: str) -> Iterator[Game]:
    """Yield our games."""
    for block in re.split(r"(?m)^(?=\[Event )", pgn):
        tags = dict(re.findall(r'(?m)^\[(\w+) "(.*)"\]$', block))
        if US not in (tags.get("White"), tags.get("Black")):
            continue
        white = tags["White"] == US
        points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}.get(tags["Result"])
        if points is not None and not white:
            points = 1 - points
        opponent = tags["Black" if white else "White"]
        yield Game(opponent, tags.get("Round", "?"), points, tags.get("Termination", "normal"))


def interval(points: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the expected score, for results of 0, ½ and 1.

    Wilson's, which stays honest at 0 % and 100 %: draws count as the lesser variance they are.
    """
    mean = sum(points) / len(points)
    spread = mean * (1 - mean)
    observed = sum((p - mean) ** 2 for p in points) / len(points)
    # As many games of wins and losses only would tell as much.
    number = len(points) * (spread / observed if observed else 1.0)
    shift, divisor = Z95 * Z95 / number, 1 + Z95 * Z95 / number
    half = Z95 * math.sqrt(spread / number + shift / number / 4)
    return (mean + shift / 2 - half) / divisor, (mean + shift / 2 + half) / divisor


def elo(score: float) -> float:
    """Return the difference in strength that makes a score between 0 and 1 likely."""
    if not 1e-9 < score < 1 - 1e-9:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def table(played: Iterable[Game]) -> Iterator[str]:
    """Yield a line for each opponent, with the score, the difference in Elo, and intervals."""
    results: dict[str, list[float]] = {}
    for game in played:
        if game.points is not None:
            results.setdefault(game.opponent, []).append(game.points)
    row = "{:<16} {:>5} {:>4} {:>4} {:>4} {:>8} {:>16} {:>6} {:>16}"
    yield row.format("opponent", "games", "+", "=", "-", "score", "95 %", "Elo", "95 %")
    for name in (opponent.name for opponent in OPPONENTS):
        if points := results.get(name):
            count, mean = Counter(points), sum(points) / len(points)
            low, high = interval(points)
            yield row.format(
                *(name, len(points), count[1.0], count[0.5], count[0.0]),
                *(f"{100 * mean:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %"),
                *(f"{elo(mean):+.0f}", f"{elo(low):+.0f} to {elo(high):+.0f}"),
            )


def choose(names: Sequence[str]) -> list[tuple[Opponent, str]]:
    """Return the opponents with their paths, saying which are missing.

    Only those of ``names`` if there are any. Raises `Trouble` for a strange name, or when
    nobody is left.
    """
    if strange := set(names) - {opponent.name for opponent in OPPONENTS}:
        known = ", ".join(opponent.name for opponent in OPPONENTS)
        raise Trouble(f"no such opponent: {', '.join(sorted(strange))} (there are {known})")
    found = []
    for opponent in OPPONENTS:
        if names and opponent.name not in names:
            continue
        path = shutil.which(opponent.name, path=PLACES)
        if path is None:
            print(f"{opponent.name} is not installed and does not play")
        else:
            found.append((opponent, path))
    if not found:
        raise Trouble("there is nobody to play against")
    return found


def play(options: argparse.Namespace) -> Path:
    """Play the gauntlet; return its folder. Raises `Trouble`, `KeyboardInterrupt` when stopped."""
    cutechess = manager("cutechess-cli")
    suite = openings(options.openings)
    opponents = choose(re.split(r"[,\s]+", options.against.strip()) if options.against else [])
    us = build(options.new)
    command = [
        cutechess,
        *Opponent(US, SINGLE).words(str(us.command), options.tc),
        *(word for opponent, path in opponents for word in opponent.words(path, options.tc)),
        *("-tournament", "gauntlet", "-rounds", str(options.games // 2), "-games", "2", "-repeat"),
        *("-concurrency", str(options.concurrency)),
        *("-openings", f"file={suite}", "format=epd", "order=random"),
        *("-srand", str(options.seed)),
        *ADJUDICATION,
        *("-pgnout", "games.pgn"),
        "-recover",  # gnuchess crashes now and then; our own crashes are found in the games
    ]
    folder = MATCHES / f"ladder-{time.strftime('%Y%m%d-%H%M%S')}-{us.key}"
    folder.mkdir(parents=True)
    print(f"{shlex.join(command)}\nin {folder}", flush=True)
    status = follow(command, folder, lambda line: line.startswith(("Finished", "Warning")))
    if status == INTERRUPTED:
        print("stopped: the table holds the games so far")
    elif status != 0:
        raise Trouble(f"cutechess-cli broke off with status {status}: see {folder / 'log.txt'}")
    return folder


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ladder", description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100, help="with each opponent (100)")
    parser.add_argument("--tc", default="10+0.1", help="seconds and increment (%(default)s)")
    parser.add_argument("--against", default="", help="names, separated by commas (default: all)")
    parser.add_argument("--new", metavar="REV", help="play this instead of the working tree")
    parser.add_argument("--concurrency", type=int, default=2, help="games at a time (2)")
    parser.add_argument("--seed", type=int, default=1, help="order of the openings (1)")
    parser.add_argument("--openings", type=Path, default=OPENINGS, help="EPD file (%(default)s)")
    options = parser.parse_args(arguments)
    if options.games < 2 or options.games % 2:
        parser.error("the games are played in pairs: their number is even")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    try:
        pgn = play(options) / "games.pgn"
        played = list(games(pgn.read_text(encoding="utf-8"))) if pgn.exists() else []
        if not played:
            raise Trouble("no game was played")
    except Trouble as trouble:
        print(f"ladder: {trouble}", file=sys.stderr)
        return TROUBLE
    print("\n".join(table(played)))
    broken = [game for game in played if game.is_defect]
    for game in broken:
        print(f"DEFECT  round {game.round}, against {game.opponent}: {game.ending}")
    return DEFECT if broken else 0


if __name__ == "__main__":
    sys.exit(main())
