"""The engine as a process of its own, spoken to line by line as clients do."""

import os
import subprocess
import sys
import time
from pathlib import Path

PYTHAGORAS = [sys.executable, "-m", "uci"]
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
"""Without the variable that hides a missing flush."""


def run(
    root: Path, *words: str, given: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    """Run the command with ``words`` and the input ``given`` to its end."""
    return subprocess.run(
        [*PYTHAGORAS, *words],
        cwd=root,
        env=ENVIRONMENT | settings,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class Process:
    """A running engine."""

    def __init__(self, root: Path, *words: str, **settings: str) -> None:
        self.started = time.perf_counter()
        self.popen = subprocess.Popen(
            [*PYTHAGORAS, *words],
            cwd=root,
            env=ENVIRONMENT | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def say(self, *lines: str) -> "Process":
        assert self.popen.stdin
        self.popen.stdin.write("".join(line + "\n" for line in lines))
        self.popen.stdin.flush()
        return self

    def until(self, start: str) -> list[str]:
        """Return the lines up to one that begins with ``start``."""
        assert self.popen.stdout
        lines = []
        for line in self.popen.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(start):
                return lines
        raise AssertionError(f"no {start} in {lines}")

    def end(self, within: float) -> tuple[int, str, str]:
        """Wait for the exit; return status, remaining output and errors."""
        start = time.perf_counter()
        status = self.popen.wait(20)
        assert time.perf_counter() - start < within
        out, err = self.popen.communicate()
        return status, out, err
