"""Shared by matches: managers, engines, openings, adjudication, logs."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.match.builds import ROOT, MatchError
from scripts.match.exit_status import INTERRUPTED
from uci.apps.console.signals import handled

OPENINGS = ROOT / "scripts" / "data" / "balanced_10000.epd"
"""Many, since at fixed nodes a repeated opening repeats the game."""

ADJUDICATION = (
    *("-draw", "movenumber=40", "movecount=8", "score=10"),
    *("-resign", "movecount=4", "score=600", "twosided=true"),
)
"""Adjudication by the scores of both engines, for cutechess-cli as for fastchess."""

HASH_MB = 16

ENGINE_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games"])
"""The PATH for other engines, with Debian's folder of games."""


def find_engine(name: str) -> str | None:
    """Return the path of an engine by its command; None if it is not installed."""
    return shutil.which(name, path=ENGINE_PATH)


def find_manager(name: str) -> str:
    """Return the path of a tournament manager. Raises `MatchError` if it is not installed."""
    path = shutil.which(name)
    if path is None:
        raise MatchError(f"{name} is not on the PATH: install it (it runs the games)")
    return path


def find_openings(path: Path) -> Path:
    """Return the absolute path of a file of openings. Raises `MatchError` if it is missing."""
    if not path.is_file():
        raise MatchError(f"no openings at {path}: set OPENINGS= to an EPD file")
    return path.resolve()


def pairing_arguments(games: int, concurrency: int, suite: Path, seed: int) -> list[str]:
    """Return the arguments, for both managers, of pairs of games from a ``suite`` of openings."""
    return [
        *("-rounds", str(games // 2), "-games", "2", "-repeat"),
        *("-concurrency", str(concurrency)),
        *("-openings", f"file={suite}", "format=epd", "order=random"),
        *("-srand", str(seed)),
    ]


def tournament_arguments(games: int, concurrency: int, suite: Path, seed: int) -> list[str]:
    """Return `pairing_arguments`, plus those for adjudication."""
    return [*pairing_arguments(games, concurrency, suite, seed), *ADJUDICATION]


def run_logged(command: Sequence[str], folder: Path, show: Callable[[str], bool]) -> int:
    """Run ``command`` in ``folder``, append its output to ``log.txt`` and print lines to ``show``.

    Ctrl-C, SIGTERM and a closed terminal are passed on as SIGINT, so that the command can end its
    engines and save its state. Return its exit status, or `INTERRUPTED`.
    """
    interrupted = False
    # In its own session: otherwise Ctrl-C would reach the engines too, and the manager would
    # report that they crashed.
    process = subprocess.Popen(
        command, cwd=folder, text=True, errors="replace", start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        process.send_signal(signal.SIGINT)

    assert process.stdout is not None
    with handled(interrupt), process, (folder / "log.txt").open("a", encoding="utf-8") as log:
        for line in process.stdout:
            log.write(line)
            log.flush()
            if show(line):
                print(line, end="", flush=True)
    return INTERRUPTED if interrupted else process.returncode
