"""Shared by all clients: programs, sources, folders, and checks of the games they saved."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import chess.pgn


class NotRun(Exception):
    """Raised if the client cannot be tried here; the message says what is missing."""


class Failed(Exception):
    """Raised if the engine failed in the client; the message says how."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where clients are tried: ``out`` is for games and logs, ``sources`` has clones of clients."""

    engine: Path
    out: Path
    sources: Path | None

    def clone(self, name: str) -> Path:
        """Return the clone of the client's repository. Raises `NotRun`."""
        if self.sources is None:
            raise NotRun(f"set SOURCES= to a folder with a clone of {name}")
        folder = self.sources / name
        if not folder.is_dir():
            raise NotRun(f"there is no clone of {name} in {self.sources}")
        return folder

    def home(self, name: str) -> tuple[Path, dict[str, str]]:
        """Return an empty home folder for a client, and an environment that uses it as home.

        The engine still finds its compiled code there.
        """
        folder = self.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, mode=0o700)
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return folder, os.environ | {
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "XDG_CACHE_HOME": cache,
            "XDG_CONFIG_HOME": str(folder / ".config"),
            "XDG_RUNTIME_DIR": str(folder),
        }


def run_to_end(
    command: Sequence[str], folder: Path, env: Mapping[str, str], log: Path, seconds: float
) -> int:
    """Run a client in ``folder``, with its output in ``log``; return its exit status.

    Raises `Failed` if it takes longer than ``seconds``. All processes that it started are killed.
    """
    with log.open("wb") as file:
        running = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip
    try:
        return running.wait(seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"not finished within {seconds:.0f} s: see {log}") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def revision(clone: Path) -> str:
    """Return the short commit of a clone, or a text if it has no history."""
    git = ["git", "-C", str(clone), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(git, text=True, capture_output=True, check=False)
    return done.stdout.strip() or "without history"


def whole_game(path: Path) -> str:
    """Return a summary of the game that a client saved. Raises `Failed` if it is not a whole
    game."""
    with path.open(encoding="utf-8", errors="replace") as file:
        game = chess.pgn.read_game(file)
    if game is None or game.errors:
        raise Failed(f"{path} does not contain a legal game: {game and game.errors}")
    board = game.end().board()
    outcome = board.outcome(claim_draw=True)
    result = game.headers["Result"]
    if outcome is None or result != outcome.result():
        ended = game.headers.get("Termination", "no reason")
        raise Failed(f"{path} says {result}, {ended}, the board {outcome}")
    end = outcome.termination.name.lower().replace("_", " ")
    return f"{result} by {end} in {(board.ply() + 1) // 2} moves"
