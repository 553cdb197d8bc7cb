"""Try the engine in clients that people use.

Usage: python -m scripts.clients.run [NAME ...] [--sources FOLDER] [--out FOLDER], or ``make
clients``. It prints a line for each client; games and logs are in ``--out``. The exit status is 1
if the engine failed in a client, or if a client that was named could not be run.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.clients import lichess_bot, python_chess
from scripts.clients.workplace import Failed, NotRun, Workplace

CLIENTS: dict[str, Callable[[Workplace], str]] = {
    "python-chess": python_chess.test,
    "lichess-bot": lichess_bot.play,
}


def try_all(names: Sequence[str], place: Workplace, required: bool) -> int:
    """Try clients one after the other; return the exit status."""
    seen = failed = missing = 0
    for name in names:
        try:
            print(f"{name}: {CLIENTS[name](place)}", flush=True)
            seen += 1
        except NotRun as error:
            print(f"{name}: not run: {error}", flush=True)
            missing += 1
        except Failed as error:
            print(f"{name}: FAILED: {error}", flush=True)
            failed += 1
    print(f"{seen} passed, {failed} failed, {missing} not run; see {place.out}")
    return 1 if failed or (required and missing) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="clients", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(CLIENTS)}; or all")
    parser.add_argument(
        "--sources", type=Path, help="folder with clones of python-chess and lichess-bot"
    )
    parser.add_argument("--out", type=Path, help="folder for games and logs (default: a new one)")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - CLIENTS.keys():
        parser.error(f"unknown client: {', '.join(sorted(unknown))}")
    engine = shutil.which("pythagoras", path=str(Path(sys.executable).parent))
    if engine is None:
        parser.error("the engine is not installed next to this Python: run make install")
    out = options.out or Path(tempfile.mkdtemp(prefix="pythagoras-clients-"))
    out.mkdir(parents=True, exist_ok=True)
    sources = options.sources and options.sources.resolve()
    place = Workplace(Path(engine).absolute(), out.resolve(), sources)
    return try_all(options.names or [*CLIENTS], place, bool(options.names))


if __name__ == "__main__":
    sys.exit(main())
