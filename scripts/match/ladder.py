"""Play the working tree against engines of known strength, and print the scores.

Usage: python -m scripts.match.ladder [--games N] [--tc 10+0.1] [--against NAME,NAME] …, or ``make
ladder``. All games are saved, and the same command resumes a stopped run. See README.md in
`scripts`; the exit status is 1 if our engine had a defect.
"""

import argparse
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from scripts.console import print_table
from scripts.match.builds import MatchError, build
from scripts.match.command_line import (
    add_match_options,
    add_new_option,
    add_state_option,
    command_line,
)
from scripts.match.elo import elo, wilson_interval
from scripts.match.exit_status import DEFECT, INTERRUPTED
from scripts.match.kept_games import digest_of, open_match, resume
from scripts.match.openings import read_openings, shuffled
from scripts.match.pgn import OUR_NAME, Game, read_games
from scripts.match.runner import (
    ADJUDICATION,
    HASH_MB,
    find_engine,
    find_manager,
    run_logged,
)


@dataclass(frozen=True, slots=True)
class Opponent:
    """An engine that Debian packages, with settings that make the match fair."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    protocol: str = "uci"

    def manager_arguments(self, path: str, tc: str) -> list[str]:
        """Return cutechess-cli's arguments for the engine."""
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
    Opponent("glaurung", NO_BOOK | {"Threads": 1}),  # the default is two
    Opponent("gnuchess", NO_BOOK, ("--uci",)),
    # No book, pondering or learning; hash in KiB. It has no UCI options for these.
    Opponent("phalanx", {}, ("-b-", "-p-", "-l-", f"-t{HASH_MB * 1024}"), "xboard"),
)
"""The opponents, strongest first."""


HEADER = "opponent", "games", "+", "=", "-", "score", "95 %", "Elo", "95 %"


def table(played: Iterable[Game]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each opponent, with the score, the difference in Elo, and intervals."""
    results: dict[str, list[float]] = {}
    for game in played:
        if game.points is not None:
            results.setdefault(game.opponent, []).append(game.points)
    for name in (opponent.name for opponent in OPPONENTS):
        if points := results.get(name):
            count, mean = Counter(points), sum(points) / len(points)
            low, high = wilson_interval(points)
            yield (
                *(name, f"{len(points)}", f"{count[1.0]}", f"{count[0.5]}", f"{count[0.0]}"),
                *(f"{100 * mean:.1f} %", f"{100 * low:.1f} to {100 * high:.1f} %"),
                *(f"{elo(mean):+.0f}", f"{elo(low):+.0f} to {elo(high):+.0f}"),
            )


def find_opponents(names: Sequence[str]) -> list[tuple[Opponent, str]]:
    """Return the opponents with their paths; report missing ones.

    Only those of ``names``, if there are any. Raises `MatchError` for an unknown name, or if no
    opponent is left.
    """
    if strange := set(names) - {opponent.name for opponent in OPPONENTS}:
        known = ", ".join(opponent.name for opponent in OPPONENTS)
        raise MatchError(f"unknown opponent: {', '.join(sorted(strange))} (expected {known})")
    found = []
    for opponent in OPPONENTS:
        if names and opponent.name not in names:
            continue
        path = find_engine(opponent.name)
        if path is None:
            print(f"{opponent.name} is not installed: skipped")
        else:
            found.append((opponent, path))
    if not found:
        raise MatchError("no opponent is installed")
    return found


def play(options: argparse.Namespace) -> Iterator[Path]:
    """Play the missing games, one opponent after the other, until stopped.

    Yields the file of games with each. Raises `MatchError`.
    """
    manager = find_manager("cutechess-cli")
    openings = shuffled(read_openings(options.openings), options.seed, options.games // 2)
    opponents = find_opponents(re.findall(r"[^,\s]+", options.against))
    us = build(options.new)
    folder = options.state / f"ladder-{us.key}-{options.tc.replace('/', 'in')}-seed{options.seed}"
    stopped = False
    for opponent, path in opponents:
        place = folder / opponent.name
        players = [
            *Opponent(OUR_NAME, SINGLE).manager_arguments(str(us.command), options.tc),
            *opponent.manager_arguments(path, options.tc),
        ]
        open_match(place, "players.json", [digest_of(options.openings), *players])
        left = resume(place / "games.pgn", openings, OUR_NAME)[1]
        if left and not stopped:
            stopped = _play_pairs([manager, *players], left, place, options.concurrency)
        yield place / "games.pgn"
    if stopped:
        print("stopped: the table covers the games so far; run the same command again to resume")


def _play_pairs(
    players: Sequence[str], openings: Sequence[str], folder: Path, concurrency: int
) -> bool:
    """Play a pair of games from each opening; return whether it was stopped."""
    book = folder / "openings.epd"
    boards = (chess.Board(fen, chess960=True) for fen in openings)
    book.write_text("".join(f"{board.epd()}\n" for board in boards), encoding="utf-8")
    command = [
        *(*players, "-rounds", str(len(openings)), "-games", "2", "-repeat"),
        *("-openings", f"file={book}", "format=epd", "order=sequential"),
        *("-concurrency", str(concurrency), *ADJUDICATION, "-pgnout", "games.pgn"),
        "-recover",  # gnuchess crashes sometimes; our own crashes are found in the games
    ]
    print(f"{shlex.join(command)}\nin {folder}", flush=True)
    status = run_logged(command, folder, lambda line: line.startswith(("Finished", "Warning")))
    if status not in (0, INTERRUPTED):
        raise MatchError(f"cutechess-cli failed with status {status}: see {folder / 'log.txt'}")
    return status == INTERRUPTED


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ladder", description=__doc__.splitlines()[0])
    parser.add_argument("--tc", default="10+0.1", help="seconds and increment (%(default)s)")
    parser.add_argument(
        "--against", default="", help="names of opponents, separated by commas (default: all)"
    )
    add_new_option(parser)
    add_state_option(parser)
    add_match_options(parser, games=100)
    return parser.parse_args(arguments)


@command_line("ladder")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    played = [game for pgn in play(options) if pgn.exists() for game in read_games(pgn)]
    if not played:
        raise MatchError("no games were played")
    print_table(HEADER, table(played))
    broken = [game for game in played if game.is_defect]
    for game in broken:
        print(f"DEFECT  round {game.round}, against {game.opponent}: {game.ending}")
    return DEFECT if broken else 0


if __name__ == "__main__":
    sys.exit(main())
