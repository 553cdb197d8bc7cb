"""A second process that compiles one entry point while this one compiles the others.

numba compiles one function at a time in a process. The machine code comes back through the cache;
if it does not, the first process compiles that entry point as well.
"""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

from engine.cores import cores

_CODE = """
import sys
_, sources, module, name = sys.argv
sys.path.insert(0, sources)  # before anything installed or in the current folder
from importlib import import_module
from engine.jit.background import follow_the_first
follow_the_first()
import_module(module)
from engine.jit.kernel import PLAY
PLAY.compile(f"{module}.{name}")
"""

_SOURCES = Path(__file__).parents[2]


class SecondCompiler:
    """The second process; it is not started on a single core."""

    def __init__(self, module: str, name: str) -> None:
        """Start compiling the entry point ``name`` of ``module``."""
        self._process: subprocess.Popen[bytes] | None = None
        if cores() > 1:
            with contextlib.suppress(OSError):
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _CODE, _SOURCES, module, name],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )

    def wait(self) -> None:
        """Wait until the process has ended."""
        if self._process is not None:
            with self._process:
                self._process.wait()  # closing the pipe first would end it


def follow_the_first() -> None:
    """Exit as soon as the first process has ended; called in the second one."""
    threading.Thread(target=_end_with_the_first, daemon=True).start()


def _end_with_the_first() -> None:
    """Exit when the pipe on standard input is closed."""
    sys.stdin.read()
    os._exit(1)
