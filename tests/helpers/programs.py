"""Programs that use the engine through the package `pythagoras`."""

import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from helpers.timing import PATIENCE


def program(
    root: Path, code: str, environment: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Start a program that uses the engine."""
    code = f"import sys\nsys.path[:0] = [{str(root)!r}, {str(root / 'uci' / 'library')!r}]\n{code}"
    return subprocess.Popen(
        [sys.executable, "-c", code], text=True, cwd="/", env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait_for_threads(count: int) -> None:
    """Wait until no more than ``count`` threads live."""
    end = time.monotonic() + PATIENCE
    while threading.active_count() > count and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() <= count
