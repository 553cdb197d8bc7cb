"""``pythagoras datagen``: games of the engine against itself, to learn from."""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.datagen.factory import Factory, Settings
    from engine.datagen.file import Appender

GAMES_IN_BLOCK = 32
EVALUATION = "hand-written"
TELL_EVERY = 1.0, 60.0
"""Seconds between two lines of progress, on a terminal and elsewhere."""


class UsageError(Exception):
    """Something that the user should change, in one line."""


def add_parser(tasks: Any) -> None:
    """Describe the task to the command line."""
    parser = tasks.add_parser("datagen", help="play games against itself and keep them in a file")
    parser.add_argument("file", type=Path, metavar="FILE", help="continued if it exists")
    goal = parser.add_mutually_exclusive_group()
    goal.add_argument("--games", type=_positive, metavar="N", help="until FILE holds N games")
    goal.add_argument("--positions", type=_positive, metavar="N", help="... or N positions")
    goal.add_argument("--hours", type=float, metavar="H", help="... or for H hours from now")
    parser.add_argument("--nodes", type=_positive, metavar="N", help="nodes for a move (5000)")
    parser.add_argument("--seed", type=int, metavar="S", help="of a series of games (1)")
    parser.add_argument(
        "--chess960", type=_share, metavar="SHARE", help="games from random starts, 0 to 1 (0.1)"
    )
    parser.add_argument("--threads", type=_positive, metavar="N", help="all cores")


def run(options: argparse.Namespace) -> int:
    """Do what the command line says and return the exit status."""
    try:
        generate(options)
    except OSError as error:
        print(f"pythagoras: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except (UsageError, ValueError, MemoryError) as error:
        print(f"pythagoras: {error}", file=sys.stderr)
        return 2
    return 0


def generate(options: argparse.Namespace) -> None:
    """Play games until the goal is reached, or Ctrl-C."""
    from engine import kernel
    from engine.datagen.factory import Factory
    from engine.datagen.file import Appender

    settings = _settings(options)
    facts = {"evaluation": EVALUATION, "settings": asdict(settings)}
    file = Appender(options.file, facts)
    if not kernel.is_warm():
        print("compiling: this happens once", flush=True)
    kernel.warm()
    factory = Factory(settings, file.next, options.threads or _cores())
    try:
        _fill(file, factory, _Meter(file, options))
    except KeyboardInterrupt:
        pass
    finally:
        factory.close()
        file.close()


def _settings(options: argparse.Namespace) -> "Settings":
    """Return the settings of the command line, for the rest those of the file, if there is one."""
    from engine.datagen.factory import Settings
    from engine.datagen.file import FormatError, read_header

    settings = Settings()
    try:
        facts, _ = read_header(options.file)
        if "settings" not in facts:
            raise UsageError(f"{options.file} was merged from others and cannot be continued")
        settings = Settings(**facts["settings"])
    except FileNotFoundError:
        pass
    except FormatError:
        # A header that was cut short: the file begins anew with these settings, or is another's.
        pass
    names = {field.name for field in fields(Settings)}
    given = {k: v for k, v in vars(options).items() if k in names and v is not None}
    return replace(settings, **given)


def _fill(file: "Appender", factory: "Factory", meter: "_Meter") -> None:
    block: list[Any] = []
    try:
        while not meter.reached(block):
            for game in factory.games(0.2):
                block.append(game.words)
                meter.count(game.nodes, game.dropped_nodes)
                if meter.reached(block):
                    break
                if len(block) == GAMES_IN_BLOCK:
                    file.append(block)
                    block = []
            meter.tell(block)
    finally:
        file.append(block)
        meter.tell([], last=True)


class _Meter:
    """How much there is, how fast it grows, and when it will be enough."""

    def __init__(self, file: "Appender", options: argparse.Namespace) -> None:
        self._file = file
        self._games: int | None = options.games
        self._positions: int | None = options.positions
        self._seconds: float | None = None if options.hours is None else options.hours * 3600
        self._start = self._told = monotonic()
        self._before = file.games, file.positions
        self._nodes = self._dropped = 0
        self._terminal = sys.stdout.isatty()

    def count(self, nodes: int, dropped: int) -> None:
        """Count the nodes of a game, and those of the openings that it dropped."""
        self._nodes += nodes
        self._dropped += dropped

    def reached(self, block: list[Any]) -> bool:
        """Return whether file and ``block`` together are enough."""
        games, positions = self._held(block)
        return (
            (self._games is not None and games >= self._games)
            or (self._positions is not None and positions >= self._positions)
            or (self._seconds is not None and monotonic() - self._start >= self._seconds)
        )

    def tell(self, block: list[Any], last: bool = False) -> None:
        """Print a line, from time to time."""
        now = monotonic()
        if not last and now - self._told < TELL_EVERY[0 if self._terminal else 1]:
            return
        self._told = now
        games, positions = self._held(block)
        seconds = max(now - self._start, 1e-6)
        new_games, new_positions = games - self._before[0], positions - self._before[1]
        line = (
            f"{games:,} games, {positions:,} positions;"
            f" {new_games / seconds:.1f} games, {new_positions / seconds:,.0f} positions,"
            f" {self._nodes / seconds:,.0f} nodes a second"
            f" (+ {self._dropped / max(self._nodes, 1):.1%} for openings that were dropped)"
        )
        left = self._left(seconds, games, positions)
        if left is not None and not last:
            minutes = int(left / 60)
            line += f"; {minutes // 60} h {minutes % 60:02} min left"
        end = "\n" if last or not self._terminal else "\r"
        print(f"{line:<79}", end=end, flush=True)

    def _held(self, block: list[Any]) -> tuple[int, int]:
        plies = sum(int(words[0]) for words in block)
        return self._file.games + len(block), self._file.positions + plies

    def _left(self, seconds: float, games: int, positions: int) -> float | None:
        """Return the seconds that are left at the rate so far."""
        if self._seconds is not None:
            return max(self._seconds - seconds, 0.0)
        for goal, held, before in (
            (self._games, games, self._before[0]),
            (self._positions, positions, self._before[1]),
        ):
            if goal is not None and held > before:
                return seconds * max(goal - held, 0) / (held - before)
        return None


def _cores() -> int:
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return number


def _share(text: str) -> int:
    """Return a share in permille."""
    share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return round(1000 * share)
