"""Other processes of ours: what may be broken is tried where it can end nothing else."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
"""The folder of ``engine/`` and ``uci/``."""

_CODE = """
import sys
_, root, module = sys.argv
del sys.argv[1:]
sys.path.insert(0, root)
import engine, uci  # ours, whatever else bears their names
del sys.path[0]
from importlib import import_module
sys.exit(import_module(module).main())
"""


def command(module: str) -> list[str]:
    """Return the command that runs ``main()`` of a module of ours in a process of its own."""
    return [sys.executable, "-P", "-c", _CODE, str(ROOT), module]


def steps_of(
    module: str, variables: Mapping[str, str], seconds: float
) -> tuple[dict[str, Any], str]:
    """Run ``main()`` of a module that prints objects of JSON, a line each; return their union.

    And how it ended, empty if all is well. After so many ``seconds`` it is killed.
    """
    found: dict[str, Any] = {}
    with subprocess.Popen(
        command(module), env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        clock = threading.Timer(seconds, end)
        clock.start()
        try:
            out, err = process.communicate()
        except BaseException:
            process.kill()
            raise
        finally:
            clock.cancel()
    for line in out.decode(errors="replace").splitlines():
        if line.startswith("{"):  # numba may print what it compiles
            found |= json.loads(line)
    if process.returncode == 0:
        return found, ""
    if late.is_set():
        return found, f"it took more than {seconds:.0f} s"
    said = err.decode(errors="replace").strip().splitlines()
    return found, said[-1] if said else f"the process ended with status {process.returncode}"
