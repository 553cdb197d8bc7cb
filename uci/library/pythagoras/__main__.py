"""The command ``pythagoras``, with its own packages, whatever else bears their names.

``engine`` and ``uci`` are names that others use too. Who finds theirs first, by PYTHONPATH, could
not even be told what is wrong.
"""

import sys
from pathlib import Path

_FOLDERS = Path(__file__).resolve().parents
_ROOT = _FOLDERS[1] if (_FOLDERS[1] / "uci" / "cli").is_dir() else _FOLDERS[3]
"""Where our packages are: beside this one, or in a checkout above it."""


def _import_ours() -> None:
    """Import both packages from where ours are; whatever they hold is then found in them.

    A process that multiprocessing starts imports this file as well, before it unpickles anything.
    """
    sys.path.insert(0, str(_ROOT))
    try:
        import engine  # noqa: F401
        import uci  # noqa: F401
    finally:
        del sys.path[0]


def main() -> int:
    """Run the command line; return the exit status."""
    try:
        from uci.cli import command
    except ImportError as error:
        print(f"pythagoras: not all of it is there, install it again: {error}", file=sys.stderr)
        return 1
    return command.main()


_import_ours()

if __name__ == "__main__":
    sys.exit(main())
