"""Runs steps that may crash in processes of their own."""

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from uci.apps.console.own_command import own_command


@contextlib.contextmanager
def child(
    module: str, seconds: float, variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start ``main()`` of a module of ours, with its streams as pipes.

    The process is killed after ``seconds``, and at the end of the context.
    """
    with subprocess.Popen(
        own_command(module=module), env={**os.environ, **(variables or {})}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
    ) as process:  # fmt: skip
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()


def json_lines(
    module: str, variables: Mapping[str, str], seconds: float
) -> tuple[dict[str, Any], str]:
    """Run a module that prints JSON objects, one per line.

    Return the union of the objects, and how the process failed, empty if it did not.
    """
    end = time.monotonic() + seconds
    with child(module, seconds, variables) as process:
        out, err = process.communicate()
    found: dict[str, Any] = {}
    for line in out.splitlines():
        if line.startswith("{"):  # numba may print other lines
            found |= json.loads(line)
    if process.returncode == 0:
        return found, ""
    if time.monotonic() >= end:
        return found, f"it took more than {seconds:.0f} s"
    errors = err.strip().splitlines()
    return found, errors[-1] if errors else f"the process ended with status {process.returncode}"
