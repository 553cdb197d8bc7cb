"""Stalls of the machine: a watchdog on each core sleeps a millisecond again and again.

A stall is a sleep that took `LEAST` longer: the core was the machine's, or somebody else's. As a
module it is one core's watchdog: python -m scripts.reliability.stalls CORE.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scripts.match.builds import ROOT

LEAST = 5.0
"""Milliseconds that a sleep may be late and be no stall."""


@dataclass(frozen=True, slots=True)
class Stall:
    """A core was away for some ``milliseconds``, until ``end`` (seconds since 1970)."""

    core: int
    end: float
    milliseconds: float

    def __str__(self) -> str:
        return f"{self.milliseconds:.0f} ms on core {self.core}"


class Watchdogs:
    """A watchdog for each of our cores, until the ``with`` ends; they write to ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._files = {core: folder / f"stalls-{core}.txt" for core in cores()}
        self.running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        for core, path in self._files.items():
            command = [sys.executable, "-m", "scripts.reliability.stalls", str(core)]
            with path.open("wb") as file:
                self.running.append(subprocess.Popen(command, cwd=ROOT, stdout=file))
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.running:
            process.terminate()
            process.wait()

    def seen(self, start: float, end: float) -> list[Stall]:
        """Return the stalls that ended between two times, in seconds since 1970."""
        found = []
        for core, path in self._files.items():
            for line in path.read_text().splitlines():
                at, length = (float(word) for word in line.split())
                if start <= at <= end:
                    found.append(Stall(core, at, length))
        return found


def cores() -> list[int]:
    """Return the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def watch(core: int) -> None:
    """Print the end and the length of each stall of ``core``, while our parent lives."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    parent, last = os.getppid(), time.monotonic()
    while os.getppid() == parent:
        time.sleep(0.001)
        now = time.monotonic()
        late = 1000 * (now - last) - 1
        if late >= LEAST:
            print(f"{time.time():.4f} {late:.1f}", flush=True)
        last = now


if __name__ == "__main__":
    watch(int(sys.argv[1]))
