"""What all clients need: programs, sources, folders, and how the games they saved are judged."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from scripts.match.runner import find_engine


class NotRun(Exception):
    """The client cannot be tried here; the text says what is missing."""


class Failed(Exception):
    """The client was not served as it should be; the text says what was seen instead."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a client is tried: ``out`` takes its evidence, ``sources`` has clones of clients."""

    engine: Path
    out: Path
    sources: Path | None

    def clone(self, name: str) -> Path:
        """Return the clone of the client's repository. Raises `NotRun`."""
        if self.sources is None:
            raise NotRun(f"SOURCES= names no folder with a clone of {name}")
        folder = self.sources / name
        if not folder.is_dir():
            raise NotRun(f"there is no clone of {name} in {self.sources}")
        return folder

    def home(self, name: str) -> tuple[Path, dict[str, str]]:
        """Return an empty home of a client, and an environment in which that is home.

        The engine in it still finds what it has compiled.
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


def program(name: str) -> str:
    """Return the path of a program. Raises `NotRun` where it is not installed."""
    path = find_engine(name)
    if path is None:
        raise NotRun(f"{name} is not installed")
    return path


def output(command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """Return what a short command writes, errors too, whatever its exit status is.

    Raises `Failed` when it takes longer than a minute.
    """
    try:
        return subprocess.run(
            command, env=env, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
        ).stdout  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"{Path(command[0]).name} hangs") from None


def run_to_end(
    command: Sequence[str], folder: Path, env: Mapping[str, str], log: Path, seconds: float
) -> int:
    """Run a client in ``folder``, its output in ``log``; return its exit status.

    Raises `Failed` when it takes longer than ``seconds``. Nothing that it started outlives it.
    """
    with log.open("wb") as file:
        running = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip
    try:
        return running.wait(seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"not over within {seconds:.0f} s: see {log}") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def revision(clone: Path) -> str:
    """Return the commit of a clone in short, or a word that says that there is none."""
    git = ["git", "-C", str(clone), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(git, text=True, capture_output=True, check=False)
    return done.stdout.strip() or "without history"


def whole_game(path: Path) -> str:
    """Return in words the game that a client saved. Raises `Failed` if it is no whole game."""
    with path.open(encoding="utf-8", errors="replace") as file:
        game = chess.pgn.read_game(file)
    if game is None or game.errors:
        raise Failed(f"{path} holds no legal game: {game and game.errors}")
    board = game.end().board()
    outcome = board.outcome(claim_draw=True)
    result = game.headers["Result"]
    if outcome is None or result != outcome.result():
        ended = game.headers.get("Termination", "no reason")
        raise Failed(f"{path} says {result}, {ended}, the board {outcome}")
    end = outcome.termination.name.lower().replace("_", " ")
    return f"{result} by {end} in {(board.ply() + 1) // 2} moves"
