"""The command ``pythagoras``, with its own packages, whatever else bears their names.

``engine`` and ``uci`` are names that others use too. Who finds theirs first, by PYTHONPATH, could
not even be told what is wrong.
"""

import sys

INTERRUPTED = 130
"""The exit status that shells know for Ctrl-C."""


def _import_ours() -> None:
    """Import both packages from where ours are: beside this one, or in a checkout above it.

    Whatever they hold is then found in them. A process that multiprocessing starts imports this
    file as well, before it unpickles anything.
    """
    from pathlib import Path  # a Ctrl-C comes as likely in here as in ours

    folders = Path(__file__).resolve().parents
    root = folders[1] if (folders[1] / "uci" / "cli").is_dir() else folders[3]
    sys.path.insert(0, str(root))
    try:
        import engine  # noqa: F401
        import uci  # noqa: F401
    finally:
        del sys.path[0]


def main() -> int:
    """Run the command line; return the exit status."""
    try:
        from uci.cli import parser
    except KeyboardInterrupt:  # later ones are for the command
        return INTERRUPTED
    except ImportError as error:
        print(f"pythagoras: not all of it is there, install it again: {error}", file=sys.stderr)
        return 1
    return parser.main()


try:
    _import_ours()
except KeyboardInterrupt:
    sys.exit(INTERRUPTED)

if __name__ == "__main__":
    sys.exit(main())
