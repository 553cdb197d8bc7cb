"""The engine as a process of its own, which reads and writes lines as with a GUI."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.measure.uci_client import UciClient
from scripts.patience import COLD, PATIENCE

PYTHAGORAS = [sys.executable, "-m", "uci"]
COMMAND = Path(sys.executable).with_name("pythagoras.exe" if os.name == "nt" else "pythagoras")
"""The installed command."""
installed = pytest.mark.skipif(not COMMAND.exists(), reason="the engine is not installed here")
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
"""The environment without PYTHONUNBUFFERED, which would hide a missing flush."""


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


class Process(UciClient):
    """A running engine."""

    def __init__(
        self, root: Path, *words: str, command: Sequence[str] = PYTHAGORAS, **settings: str
    ) -> None:
        self.started = time.perf_counter()
        super().__init__([*command, *words], root, ENVIRONMENT | settings, subprocess.PIPE, COLD)

    def end(self) -> tuple[int, str, str]:
        """Wait for the exit; return status, remaining output and errors."""
        status = self.popen.wait(PATIENCE)
        out, err = self.popen.communicate()
        return status, out, err
