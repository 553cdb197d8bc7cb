"""Judge the principal variations of any UCI engine, every info line that it writes.

Usage: python -m scripts.measure.pv_check --engine CMD [--engine CMD …] [--depth 12 | --nodes N]
[--hash 1] [--multipv 4] [--threads 8] [--stop] [--tables DIR] [--epd FILE] [--sample N]. See
README.md in `scripts`; the exit status is 1 when our own engine, if it is among them, broke a
promise.

The protocol does not tell which moves of a line are the main search's. So a line is complete here
when it has as many moves as its depth, those of quiescence included, or ends the game or repeats a
position. For an engine that reduces in PV nodes that share says little.
"""

import argparse
import contextlib
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from scripts.console import print_table, track
from scripts.match.builds import ROOT
from scripts.match.exit_status import DEFECT, ERROR
from scripts.match.runner import find_engine
from scripts.measure.uci_client import EngineTerminated, UciClient
from uci.apps.engines.pv_checks import CHECKS, Tally, check_lines
from uci.apps.epd.engine_clients import split_command
from uci.apps.lab.pv_trace import sample_positions
from uci.chess_io.positions import read_positions
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine, parse_info

POSITIONS = ROOT / "tests" / "data" / "pv_positions.epd"
TIMEOUT = 120.0
"""Seconds that an engine may be silent before it counts as crashed."""

DEFAULTS: dict[str, int | str] = {
    "threads": 1,
    "number of threads": 1,
    "ownbook": "false",
    "ponder": "false",
    "contemptdrawpenalty": 0,
}
"""Options, in lower case, that make an engine search on one thread, and score a draw as one."""

LONGEST_WAIT = 0.3
"""Seconds before a stop, at most."""


class Engine:
    """A UCI engine whose every line is read."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it and wait for ``uciok``. Raises `OSError` and `EngineTerminated`."""
        self._client = UciClient(command, stderr=subprocess.DEVNULL, timeout=TIMEOUT)
        self.name = command[0]
        self._options: dict[str, tuple[str, list[int]]] = {}
        for line in self._client.say("uci").until("uciok"):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            if line.startswith("option name "):
                name, _, kind = line.removeprefix("option name ").partition(" type ")
                bounds = re.findall(r" (?:min|max) (-?\d+)", kind)
                self._options[name.lower()] = name, [int(bound) for bound in bounds]

    def configure(self, **wanted: int | str) -> None:
        """Set those of the options, named in lower case, that the engine has, within its bounds."""
        for key, value in {**DEFAULTS, **wanted}.items():
            if key in self._options:
                name, bounds = self._options[key]
                if isinstance(value, int) and bounds:
                    value = max(min(value, max(bounds)), min(bounds))
                self._client.say(f"setoption name {name} value {value}")
        self._client.say("isready").until("readyok")

    def search(
        self, board: chess.Board, limit: str, wait: float | None
    ) -> tuple[list[ScoredLine], str]:
        """Return the scored lines and the move for ``board``.

        The search ends at ``limit``, in the words of ``go``, or is stopped after ``wait`` seconds.
        """
        self._client.say(f"position fen {board.fen()}")
        if wait is None:
            lines = self._client.say(f"go {limit}").until("bestmove")
        else:
            self._client.say("go infinite")  # before the timer: a stop must not come first
            timer = threading.Timer(wait, self._stop)
            timer.start()
            try:
                lines = self._client.until("bestmove")
            finally:
                timer.cancel()
        scored = [heard for line in lines if (heard := parse_info(line)) is not None]
        return scored, [*lines[-1].split(), "(none)"][1]

    def _stop(self) -> None:
        with contextlib.suppress(EngineTerminated):
            self._client.say("stop")

    def close(self) -> None:
        """End it."""
        self._client.close()


@dataclass
class Row:
    """An engine and what was found."""

    name: str
    ours: bool
    tally: Tally = field(default_factory=Tally)
    length: int = 0
    depth: int = 0
    crashes: int = 0

    def add(self, board: chess.Board, lines: Sequence[ScoredLine], move: str) -> None:
        """Judge what was said about ``board``."""
        self.tally.add(board, check_lines(board, lines, move))
        exact = [heard for heard in lines if not heard.bound]
        self.length += len(exact[-1].pv) if exact else 0
        self.depth += exact[-1].depth if exact else 0

    def cells(self) -> list[str]:
        """Return its row of the table: shares in per cent, the mean line length over depth."""
        shares = [self.tally.share(promise) for promise in CHECKS]
        ratio = f"{self.length / self.depth:.2f}" if self.depth else "-"
        return [self.name, *shares, ratio, str(self.crashes)]


def check(command: str, boards: Sequence[chess.Board], options: argparse.Namespace) -> Row:
    """Let one engine search all ``boards``."""
    words = resolve(command)
    engine = open_engine(words, options)
    row = Row(engine.name, engine.name.startswith("Pythagoras"))
    limit = f"nodes {options.nodes}" if options.nodes else f"depth {options.depth}"
    dice = random.Random(1)
    for board in track(boards, row.name):
        wait = dice.uniform(0, LONGEST_WAIT) if options.stop else None
        try:
            row.add(board, *engine.search(board, limit, wait))
        except EngineTerminated:
            row.crashes += 1
            engine.close()
            engine = open_engine(words, options)
    engine.close()
    for fault in row.tally.faults:
        print(f"{row.name}: {fault}")
    return row


def open_engine(words: Sequence[str], options: argparse.Namespace) -> Engine:
    """Start an engine and set its options."""
    engine = Engine(words)
    engine.configure(
        hash=options.hash,
        multipv=options.multipv,
        threads=options.threads,
        **({"syzygypath": options.tables} if options.tables else {}),
    )
    return engine


def resolve(command: str) -> list[str]:
    """Return the words of a command, its program looked for among Debian's games too."""
    program, *words = split_command(command)
    return [find_engine(program) or program, *words]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="pv_check", description=__doc__.splitlines()[0])
    parser.add_argument("--engine", action="append", required=True, metavar="CMD", help="repeat it")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--depth", type=int, default=12, help="plies (12)")
    limit.add_argument("--nodes", type=int, help="nodes instead")
    limit.add_argument("--stop", action="store_true", help="stop each search after a random time")
    parser.add_argument("--hash", type=int, default=1, help="MiB (1)")
    parser.add_argument("--multipv", type=int, default=1, help="lines (1)")
    parser.add_argument("--threads", type=int, default=1, help="of each engine (1)")
    parser.add_argument("--tables", metavar="DIR", help="folders of Syzygy tablebases")
    parser.add_argument("--epd", type=Path, default=POSITIONS, help="positions")
    parser.add_argument("--sample", type=int, help="only so many of them")
    options = parser.parse_args(arguments)
    try:
        positions = sample_positions(read_positions(options.epd), options.sample)
    except UciError as error:
        parser.error(str(error))
    boards = [chess.Board(b.fen()) for b in positions if not b.has_chess960_castling_rights()]
    rows = []
    for command in options.engine:
        started = time.perf_counter()
        try:
            rows.append(check(command, boards, options))
        except (OSError, EngineTerminated) as error:
            print(f"{command}: does not answer: {error}", file=sys.stderr)
            return ERROR
        print(f"{rows[-1].name}: {time.perf_counter() - started:.0f} s", flush=True)
    print_table(["", *CHECKS, "length/depth", "crashes"], (row.cells() for row in rows))
    print("complete: as many moves as the depth, quiescence's among them, or an end or repetition")
    broken = any(row.crashes or any(map(row.tally.failed, CHECKS)) for row in rows if row.ours)
    return DEFECT if broken else 0


if __name__ == "__main__":
    sys.exit(main())
