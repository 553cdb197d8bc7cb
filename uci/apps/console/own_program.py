"""The command ``pythagoras`` itself, in a process of its own."""

import subprocess
import sys
from pathlib import Path

_CODE = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
import engine, uci  # ours, whatever else has their names
sys.path.append(sys.path.pop(0))
runpy.run_module("uci", run_name="__main__", alter_sys=False)
"""


def own_program(*words: str) -> list[str]:
    """Return the command line of ``pythagoras WORD ...``.

    It runs this very program, the one-file build's too, and nothing from the working directory.
    """
    root = Path(__file__).resolve().parents[3]
    return [sys.executable, "-P", "-c", _CODE, str(root), *words]


def run_own_program(*words: str) -> int:
    """Run ``pythagoras WORD ...`` in this terminal; return its exit status.

    A Ctrl-C goes to both processes, and the other one reports it.
    """
    with subprocess.Popen(own_program(*words)) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue
            except BaseException:  # a signal that ends this process
                process.terminate()
                raise
