"""Check that one process does not grow, whatever commands it receives.

Usage: python -m scripts.reliability.steady [--commands 100000] [--searches 10000] [--seed 1]. The
commands are those of `scripts.reliability.uci_lines`, valid and invalid; the searches are short,
with changing options. At intervals the engine is brought to the same state, and its memory,
threads, descriptors and files are counted. After the warm-up its memory may differ by
`MOST_MEMORY`, and the other counts not at all.
"""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from engine.jit import cache
from scripts.console import print_table, track
from scripts.match.builds import ROOT
from scripts.match.exit_status import DEFECT, ERROR
from scripts.patience import PATIENCE
from scripts.reliability.line_fuzzer import Engine, Finding, check
from scripts.reliability.uci_lines import lines, position
from uci.errors import UciError
from uci.protocol.commands import Word, decode, parse_command

LOOKS, WARM_UP = 100, 0.2
"""Number of measurements, and the share of the work that counts as warm-up."""

MOST_MEMORY, PARTS = 2048, 8
"""KiB by which the memory may differ after the warm-up, and the number of parts whose medians are
compared: a large page alone changes a single measurement by that much."""

BATCH = 100
"""Number of lines between two ``isready``."""

FIRST_LOOK = 2.0
"""Seconds for idle threads to end; the first time it is unknown how many will stay."""

_STATUS = re.compile(r"^(\w+):\s+(\d+)", re.MULTILINE)

REST = (
    b"stop", b"debug off", b"setoption name UCI_Chess960 value false",
    b"setoption name UCI_LimitStrength value false", b"setoption name Skill Level value 20",
    b"setoption name MultiPV value 1", b"setoption name Threads value 1",
    b"setoption name Hash value 1", b"ucinewgame", b"position startpos",
)  # fmt: skip
"""The commands before each measurement, and then two searches, the second with a new table."""


class Look(NamedTuple):
    """One measurement: total and anonymous memory in KiB, and counts."""

    resident: int
    anonymous: int
    threads: int
    descriptors: int
    files: int


class Steady:
    """An engine with its own cache and folder for temporary files, in ``folder``."""

    def __init__(self, folder: Path, seed: int, command: Sequence[str]) -> None:
        """Start the engine, with the existing compiled code."""
        self._folder, self._dice = folder, random.Random(seed)
        self._lines = (line for line in lines(self._dice) if not _is_eval(line))
        for name in ("cache", "tmp"):
            (folder / name).mkdir(mode=0o700)
        if (compiled := cache.folder()) is not None:
            shutil.copytree(compiled, folder / "cache" / compiled.parent.name / compiled.name)
            (folder / "cache" / compiled.parent.name).chmod(0o700)
        here = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
        self.engine = Engine(command, ROOT, os.environ | here)

    def greet(self) -> None:
        """Wait until the engine is ready."""
        self.engine.tell(b"uci", b"isready")
        check(self.engine.until(b"readyok"))

    def say(self, number: int) -> None:
        """Send ``number`` lines."""
        for start in range(0, number, BATCH):
            said = [next(self._lines) for _ in range(min(BATCH, number - start))]
            self.engine.tell(*said, b"isready")
            check(self.engine.until(b"readyok"))

    def search(self) -> None:
        """Change an option and the position, and run a short search."""
        dice = self._dice
        name, value = dice.choice(
            (("Hash", 2 ** dice.randrange(7)), ("MultiPV", dice.randrange(1, 9)),
             ("Threads", dice.randrange(1, 5)), ("Skill Level", dice.choice((3, 20, 20))),
             ("UCI_ShowWDL", dice.choice(("true", "false"))))
        )  # fmt: skip
        limit, then = dice.choice(
            ((f"nodes {dice.choice((1, 100, 3000))}", ()), (f"depth {dice.randrange(1, 6)}", ()),
             (f"movetime {dice.randrange(1, 10)}", ()), ("mate 2 nodes 3000", ()),
             ("wtime 100 btime 100", ()), ("ponder movetime 5", (b"ponderhit",)),
             ("infinite", (b"stop",)), ("ponder", (b"stop",)))
        )  # fmt: skip
        self._wait_for_all()
        self.engine.tell(f"setoption name {name} value {value}".encode())
        self.engine.tell(position(dice).encode(), f"go {limit}".encode(), *then)
        check(self.engine.until(b"bestmove"))

    def _wait_for_all(self) -> None:
        """Stop the engine's work, and wait until it has answered."""
        # A valid position first: `eval` is rejected after an invalid one.
        self.engine.tell(b"stop", b"position startpos", b"eval")
        check(self.engine.until(b"info string evaluation"))

    def look(self, most_threads: int, patience: float) -> Look:
        """Bring the engine to rest, and measure it.

        If there are more threads than ``most_threads``, idle ones get ``patience`` seconds to end.
        """
        self._wait_for_all()
        for said in (*REST, b"go depth 1"), (b"setoption name Hash value 2", b"go depth 10"):
            self.engine.tell(*said)
            check(self.engine.until(b"bestmove"))
            self._wait_for_all()
        process = Path("/proc") / str(self.engine.popen.pid)
        end = time.monotonic() + patience
        while True:
            status = dict(_STATUS.findall((process / "status").read_text()))
            if int(status["Threads"]) <= most_threads or time.monotonic() > end:
                break
            time.sleep(0.05)
        return Look(
            int(status["VmRSS"]), int(status["RssAnon"]), int(status["Threads"]),
            len(list((process / "fd").iterdir())),
            sum(path.is_file() for path in self._folder.rglob("*")),
        )  # fmt: skip


def _is_eval(line: bytes) -> bool:
    """Return whether a line is the answer to our last command, which ends the wait."""
    try:
        return parse_command(decode(line)) == Word("eval")
    except UciError:
        return False


def watch(
    commands: int, searches: int, seed: int, looks: int = LOOKS,
    command: Sequence[str] = (sys.executable, "-m", "uci"),
    progress: Callable[[Sequence[int]], Iterable[int]] = lambda steps: steps,
) -> list[Look]:  # fmt: skip
    """Return the measurements of a process that receives all this. Raises `Finding`.

    The first measurement is before the work, which is spread evenly over the others.
    """
    with tempfile.TemporaryDirectory() as folder:
        steady = Steady(Path(folder), seed, command)
        try:
            steady.greet()
            steady.search()
            seen = [steady.look(0, FIRST_LOOK)]
            for step in progress(range(looks)):
                steady.say(commands * (step + 1) // looks - commands * step // looks)
                for _ in range(searches * (step + 1) // looks - searches * step // looks):
                    steady.search()
                seen.append(steady.look(seen[0].threads, PATIENCE))
            steady.engine.end()
        finally:
            steady.engine.kill()
    return seen


def faults(seen: Sequence[Look]) -> list[str]:
    """Return which values changed after the warm-up."""
    later = seen[_warm(seen) :]
    found = []
    for name in Look._fields:
        values = [getattr(look, name) for look in later]
        most = 0
        if name in ("resident", "anonymous"):
            size = max(len(values) // PARTS, 1)
            values = [round(median(values[at : at + size])) for at in range(0, len(values), size)]
            most = MOST_MEMORY
        off = max((value - values[0] for value in values), key=abs)
        if abs(off) > most:
            found.append(f"{name}: {values[0]:,} after the warm-up, then {off:+,}")
    return found


def _warm(seen: Sequence[Look]) -> int:
    """Return the index of the first measurement after the warm-up."""
    return round(WARM_UP * (len(seen) - 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if something is not constant, 2 if it cannot be measured."""
    parser = argparse.ArgumentParser(prog="steady", description=__doc__.splitlines()[0])
    parser.add_argument("--commands", type=int, default=100_000, help="number of lines (100,000)")
    parser.add_argument(
        "--searches", type=int, default=10_000, help="number of short searches (10,000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    options = parser.parse_args(arguments)
    if not Path("/proc/self/status").exists():
        print("requires /proc, which only Linux has", file=sys.stderr)
        return ERROR
    try:
        seen = watch(
            options.commands, options.searches, options.seed,
            progress=lambda steps: track(steps, "looks"),
        )  # fmt: skip
    except Finding as finding:
        print(f"FOUND with seed {options.seed}: {finding}")
        return DEFECT
    rows = [("start", seen[0]), ("warm", seen[_warm(seen)]), ("end", seen[-1])]
    later = seen[_warm(seen) :]
    rows += [("least since", Look(*map(min, zip(*later, strict=True))))]
    rows += [("median since", Look(*(round(median(them)) for them in zip(*later, strict=True))))]
    rows += [("most since", Look(*map(max, zip(*later, strict=True))))]
    print_table(["", *Look._fields], ([name, *(f"{n:,}" for n in look)] for name, look in rows))
    for fault in faults(seen):
        print(f"not constant: {fault}")
    return DEFECT if faults(seen) else 0


if __name__ == "__main__":
    sys.exit(main())
