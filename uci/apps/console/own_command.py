"""The command line of another process of ours, from a checkout, package or one-file build."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The folder or archive that contains ``engine/`` and ``uci/``."""

COMMAND_LINE = "uci.cli.main"
"""The module whose ``main()`` is the command ``pythagoras``."""

_CODE = """
import sys
_, root, module, *words = sys.argv
sys.argv = ["pythagoras", *words]
sys.path.insert(0, root)
import engine, uci  # our packages, even if others have these names
del sys.path[0]
from importlib import import_module
sys.exit(import_module(module).main())
"""


def own_command(*words: str, module: str = COMMAND_LINE) -> list[str]:
    """Return the command that runs ``pythagoras WORDS``, or ``main()`` of another module of ours.

    Without words it is the UCI engine. Modules in the working directory are never imported.
    """
    return [sys.executable, "-P", "-c", _CODE, str(ROOT), module, *words]


def run_own_command(*words: str) -> int:
    """Run ``pythagoras WORDS`` in this terminal; return its exit status.

    Ctrl-C reaches both processes, and the other one reports it.
    """
    with subprocess.Popen(own_command(*words)) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue
            except BaseException:  # for example a signal that ends this process
                process.terminate()
                raise
