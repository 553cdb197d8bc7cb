"""The command ``pythagoras``, which always imports its own packages.

Other projects also have packages named ``engine`` and ``uci``. If PYTHONPATH led to theirs first,
the command could not even report the problem.
"""

import sys

INTERRUPTED = 130
"""The conventional exit status after Ctrl-C."""


def _import_ours() -> None:
    """Import both packages from where ours are: next to this one, or in a checkout above it.

    Later imports of their modules then find ours. Processes started by multiprocessing also import
    this file, before they unpickle anything.
    """
    # Inside the function, so that Ctrl-C during this import is handled, too.
    from pathlib import Path

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
        from uci.cli.main import main as command
    except KeyboardInterrupt:  # after this import, `main` handles Ctrl-C
        return INTERRUPTED
    except ImportError as error:
        print(
            f"pythagoras: the installation is incomplete ({error}); install it again",
            file=sys.stderr,
        )
        return 1
    return command()


try:
    _import_ours()
except KeyboardInterrupt:
    sys.exit(INTERRUPTED)

if __name__ == "__main__":
    sys.exit(main())
