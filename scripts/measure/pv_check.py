"""Check the PVs of any UCI engine, in every info line that it writes.

Usage: python -m scripts.measure.pv_check --engine CMD [--engine CMD …] [--depth 12 | --nodes N]
[--hash 1] [--multipv 4] [--threads 8] [--contempt 20] [--stop] [--tables DIR] [--epd FILE]
[--sample N]. See README.md in `scripts/measure`; the exit status is 1 if our own engine, if it is
among them, failed a check.

UCI does not show which moves of a PV are from the main search. So a PV counts as complete here if
it has as many moves as its depth, including those of quiescence search, or ends the game, or
repeats a position. For an engine that reduces in PV nodes this share is of little use.
"""

import argparse
import random
import re
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from scripts.console import print_table, track
from scripts.match.builds import ROOT
from scripts.match.exit_status import DEFECT, ERROR
from scripts.match.runner import find_engine
from scripts.patience import SILENCE
from uci.apps.engines.client import EngineClient, EngineGone, split_command
from uci.apps.engines.pv_checks import CHECKS, Tally, check_lines
from uci.apps.lab.pv_trace import sample_positions
from uci.chess_io.positions import read_positions
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine, parse_info

POSITIONS = ROOT / "tests" / "data" / "pv_positions.epd"

DEFAULTS: dict[str, int | str] = {
    "threads": 1,
    "number of threads": 1,
    "ownbook": "false",
    "ponder": "false",
    "contemptdrawpenalty": 0,
}
"""Options, in lower case, for a search on one thread that scores draws as draws."""

LONGEST_WAIT = 0.3
"""Maximum seconds before a stop."""


class Engine:
    """A UCI engine whose output is read line by line."""

    def __init__(self, command: str, **wanted: int | str) -> None:
        """Start the engine, and set those of the options, in lower case, that it has.

        Values are kept within its bounds. Raises `UciError` and `EngineGone`.
        """
        self._client = EngineClient(command, {})
        self._client.start()
        self.name = self._client.name
        options = {name.lower(): name for name in self._client.options}
        lines = []
        for key, value in {**DEFAULTS, **wanted}.items():
            if name := options.get(key):
                words = re.findall(r" (?:min|max) (-?\d+)", self._client.options[name])
                bounds = [*map(int, words)]
                if isinstance(value, int) and bounds:
                    value = max(min(value, max(bounds)), min(bounds))
                lines.append(f"setoption name {name} value {value}")
        self._client.ask([*lines, "isready"], "readyok", SILENCE)

    def search(
        self, board: chess.Board, limit: str, wait: float | None
    ) -> tuple[list[ScoredLine], str]:
        """Return the scored lines and the move for ``board``. Raises `EngineGone`.

        The search ends at ``limit``, parameters of UCI's ``go``, or is stopped after ``wait``
        seconds.
        """
        go = f"go {limit}" if wait is None else "go infinite"
        position = f"position fen {board.fen()}"
        heard = self._client.ask([position, go], "bestmove", SILENCE, stop_after=wait)
        lines = [text for _, text in heard]
        scored = [line for text in lines if (line := parse_info(text)) is not None]
        return scored, [*lines[-1].split(), "(none)"][1]

    def close(self) -> None:
        """End the engine."""
        self._client.close()


@dataclass
class Row:
    """An engine and the results of its checks."""

    name: str
    ours: bool
    draw_score: int = 0
    tally: Tally = field(default_factory=Tally)
    length: int = 0
    depth: int = 0
    crashes: int = 0

    def add(self, board: chess.Board, lines: Sequence[ScoredLine], move: str) -> None:
        """Check the output for ``board``."""
        self.tally.add(board, check_lines(board, lines, move, self.draw_score))
        exact = [heard for heard in lines if not heard.bound]
        self.length += len(exact[-1].pv) if exact else 0
        self.depth += exact[-1].depth if exact else 0

    def cells(self) -> list[str]:
        """Return the row of the table: shares in percent, and mean PV length by depth."""
        shares = [self.tally.share(promise) for promise in CHECKS]
        ratio = f"{self.length / self.depth:.2f}" if self.depth else "-"
        return [self.name, *shares, ratio, str(self.crashes)]


def check(command: str, boards: Sequence[chess.Board], options: argparse.Namespace) -> Row:
    """Let one engine search all ``boards``."""
    command = resolve(command)
    engine = open_engine(command, options)
    row = Row(engine.name, engine.name.startswith("Pythagoras"), -options.contempt)
    limit = f"nodes {options.nodes}" if options.nodes else f"depth {options.depth}"
    dice = random.Random(1)
    for board in track(boards, row.name):
        wait = dice.uniform(0, LONGEST_WAIT) if options.stop else None
        try:
            row.add(board, *engine.search(board, limit, wait))
        except EngineGone:
            row.crashes += 1
            engine.close()
            engine = open_engine(command, options)
    engine.close()
    for fault in row.tally.faults:
        print(f"{row.name}: {fault}")
    return row


def open_engine(command: str, options: argparse.Namespace) -> Engine:
    """Start an engine and set its options."""
    tables = {"syzygypath": options.tables} if options.tables else {}
    return Engine(
        command,
        hash=options.hash,
        multipv=options.multipv,
        threads=options.threads,
        contempt=options.contempt,
        **tables,
    )


def resolve(command: str) -> str:
    """Return a command, with its program also searched among Debian's games."""
    program, *words = split_command(command)
    return shlex.join([find_engine(program) or program, *words])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="pv_check", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--engine",
        action="append",
        required=True,
        metavar="CMD",
        help="UCI engine to check; repeat for more",
    )
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--depth", type=int, default=12, help="depth in plies (12)")
    limit.add_argument("--nodes", type=int, help="nodes, instead of a depth")
    limit.add_argument("--stop", action="store_true", help="stop each search after a random time")
    parser.add_argument("--hash", type=int, default=1, help="MiB (1)")
    parser.add_argument("--multipv", type=int, default=1, help="lines (1)")
    parser.add_argument("--threads", type=int, default=1, help="of each engine (1)")
    parser.add_argument("--contempt", type=int, default=0, help="centipawns (0)")
    parser.add_argument("--tables", metavar="DIR", help="folders of Syzygy tablebases")
    parser.add_argument("--epd", type=Path, default=POSITIONS, help="positions")
    parser.add_argument("--sample", type=int, help="check only N positions")
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
        except (UciError, EngineGone) as error:
            print(f"{command}: no answer: {error}", file=sys.stderr)
            return ERROR
        print(f"{rows[-1].name}: {time.perf_counter() - started:.0f} s", flush=True)
    print_table(["", *CHECKS, "length/depth", "crashes"], (row.cells() for row in rows))
    print("complete: as many moves as the depth (quiescence included), or the game ends or repeats")
    broken = any(row.crashes or any(map(row.tally.failed, CHECKS)) for row in rows if row.ours)
    return DEFECT if broken else 0


if __name__ == "__main__":
    sys.exit(main())
