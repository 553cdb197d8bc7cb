"""Record the engine's behaviour, to show that a refactoring does not change it.

Usage: python -m scripts.measure.behaviour [PART …] [-o FILE], before and after. Each part prints a
line: the nodes of the bench, and SHA-256 of a file of games, of all lines of analysis without
times, and of the help texts. The text of the last two is written to FILE, for comparison.
"""

import argparse
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from scripts.match.builds import ROOT
from scripts.measure.uci_client import UciClient
from uci.apps.lab.pv_trace import sample_positions
from uci.chess_io.positions import read_positions
from uci.protocol.options import EMPTY_STRING, OPTIONS

POSITIONS = ROOT / "tests" / "data" / "pv_positions.epd"
TABLES = ROOT.parent / "shared" / "data" / "syzygy"
GAMES = "--games", "300", "--nodes", "1000", "--seed", "7"

# Weak play is random; here its seed is fixed.
_ENGINE = """
import random, sys
class Dice(random.Random):
    def __init__(self, seed=7):
        super().__init__(seed)
random.Random = Dice
from uci.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
_CHANGING = re.compile(r" (?:time|nps) \d+|(?<=Pythagoras )\d[\w.]*")


@dataclass(frozen=True, slots=True)
class Setting:
    """A ``go`` command, in which ``{moves}`` stands for three legal moves, with options and
    positions."""

    go: str
    options: dict[str, str] = field(default_factory=dict)
    kind: str = "middlegame"


SETTINGS = (
    Setting("go depth 9"),
    Setting("go nodes 20000"),
    Setting("go depth 7", {"MultiPV": "4"}),
    Setting("go depth 8 searchmoves {moves}"),
    Setting("go depth 8", {"UCI_Chess960": "true"}, "chess960"),
    Setting("go nodes 5000", {"SyzygyPath": str(TABLES)}, "endgame"),
    Setting("go nodes 5000", {"UCI_ShowWDL": "true"}),
    Setting("go nodes 3000", {"Skill Level": "3"}),
)
"""All searches are short: one that takes a second prints more lines, depending on the clock."""


def boards(kind: str, count: int) -> Sequence[chess.Board]:
    """Return ``count`` positions of a kind, always the same."""
    rng = random.Random(7)
    match kind:
        case "chess960":
            return [chess.Board.from_chess960_pos(rng.randrange(960)) for _ in range(count)]
        case "endgame":
            return [_endgame(rng) for _ in range(count)]
    return sample_positions(read_positions(POSITIONS), count)


def _endgame(rng: random.Random) -> chess.Board:
    """Return a position of two kings, two white pieces and perhaps a black one."""
    while True:
        board = chess.Board(None)
        for symbol in ("K", "k", rng.choice("PNB"), rng.choice("PBR"), rng.choice(" p")):
            if symbol != " ":
                board.set_piece_at(rng.randrange(64), chess.Piece.from_symbol(symbol))
        board.turn = rng.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            return board


def analysis(count: int) -> Iterator[str]:
    """Yield the output of a running engine for ``count`` positions with each of `SETTINGS`."""
    engine = UciClient([sys.executable, "-c", _ENGINE], cwd=ROOT)
    engine.say("uci", "isready").until("readyok")
    used = {name for setting in SETTINGS for name in setting.options}
    defaults = {
        option.name: str(option.default).lower() or EMPTY_STRING
        for option in OPTIONS
        if option.name in used
    }
    for setting in SETTINGS:
        for name, value in (defaults | setting.options).items():
            engine.say(f"setoption name {name} value {value}")
        yield from engine.say("isready").until("readyok")
        for board in boards(setting.kind, count):
            fen = board.shredder_fen() if board.chess960 else board.fen()
            moves = sorted(move.uci() for move in board.legal_moves)[:3]
            go = setting.go.format(moves=" ".join(moves))
            yield f"{setting.go} {fen}"
            yield from engine.say("ucinewgame", f"position fen {fen}", go).until("bestmove")
    engine.close()


def texts() -> Iterator[str]:
    """Yield the help texts of the commands and of the protocol, line by line."""
    overview = run("--help")
    yield from overview.splitlines()
    for name in re.findall(r"^ {4}([a-z-]+) ", overview, re.MULTILINE):
        yield from run(name, "--help").splitlines()
    yield from run(given="uci\nhelp\nquit\n").splitlines()


def run(*words: str, given: str = "") -> str:
    """Return the output of the command ``pythagoras``. Raises `CalledProcessError` if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", _ENGINE, *words],
        cwd=ROOT, env=os.environ | {"COLUMNS": "100"}, input=given, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return done.stdout


def games() -> str:
    """Return SHA-256 of the file that `GAMES` generates."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "games")
        run("datagen", str(file), *GAMES)
        return hashlib.sha256(file.read_bytes()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="behaviour", description=__doc__.splitlines()[0])
    parts = "bench", "games", "analysis", "texts"
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(parts)} (default: all)"
    )
    parser.add_argument("--positions", type=int, default=25, help="positions for each setting (25)")
    parser.add_argument(
        "-o", dest="file", type=Path, help="output file for the text of analysis and texts"
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(parts):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    told = []
    for part in options.parts or parts:
        if part == "bench":
            found = run("bench").split()[-4]
        elif part == "games":
            found = games()
        else:
            lines = analysis(options.positions) if part == "analysis" else texts()
            text = "".join(_CHANGING.sub("", line) + "\n" for line in lines)
            found = hashlib.sha256(text.encode()).hexdigest()
            told.append(text)
        print(f"{part:8} {found}", flush=True)
    if options.file:
        options.file.write_text("".join(told), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
