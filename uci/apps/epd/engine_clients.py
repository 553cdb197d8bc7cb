"""The engines that solve positions: ours within this process, others as processes of their own.

All are spoken to in UCI, line by line and in the same words, so all are measured alike.
"""

import contextlib
import os
import queue
import shlex
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from uci.errors import reason
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.session import Session
from uci.session.settings import Shortfall, shortfalls

OURS = "pythagoras"
"""The word for this engine."""

PATIENCE = 60.0
"""Seconds in which an engine answers where nothing is to be searched."""

LAST_WORDS = 5.0
"""Seconds that an engine has to end in."""


class EngineGone(Exception):
    """An engine cannot be started, has ended, or answers no more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine said of a position: the lines of its first variation, and its move.

    A line has the engine's own time, or that when it was heard. ``spent`` is in milliseconds.
    """

    lines: tuple[tuple[int, ScoredLine], ...]
    bestmove: str
    spent: int


class Contestant:
    """An engine that is spoken to by one thread; only `stop` is for all."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.name = word
        self.lacks: list[str] = []
        """Options that it does not have."""
        self.short: tuple[Shortfall, ...] = ()
        """Where it has less than it was to have, as far as that is known."""
        self._options: set[str] = set()
        self._chess960 = False
        self._heard: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()

    def introduce(self, options: Mapping[str, str]) -> None:
        """Learn its name, set those of the options that it has, and let it search for a moment.

        Raises `EngineGone`.
        """
        self._say("uci")
        for _, line in self._until("uciok", PATIENCE):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            elif line.startswith("option name "):
                self._options.add(line.removeprefix("option name ").partition(" type ")[0].strip())
        self.lacks = [name for name in options if name not in self._options]
        for name, value in options.items():
            if name in self._options:
                self._say(f"setoption name {name} value {value}")
        self._say("isready")
        self._until("readyok", PATIENCE)
        self._say("go depth 1")  # a first search does what others find done
        self._until("bestmove", PATIENCE)

    def search(self, fen: str, chess960: bool, go: str, patience: float | None) -> Answer:
        """Answer a position with an empty table; ``go`` are the words of UCI's `go`.

        Raises `EngineGone`, also where no move has come after ``patience`` seconds.
        """
        if chess960 != self._chess960 and "UCI_Chess960" in self._options:
            self._say(f"setoption name UCI_Chess960 value {str(chess960).lower()}")
            self._chess960 = chess960
        self._say("ucinewgame")
        self._say("isready")
        self._until("readyok", PATIENCE)
        self._say(f"position fen {fen}")
        started = perf_counter()
        self._say(f"go {go}")
        heard = self._until("bestmove", patience)
        lines = []
        for at, text in heard:
            line = parse_info(text)
            if line is not None and line.multipv == 1:
                lines.append((line.time if " time " in text else _ms(at - started), line))
        at, text = heard[-1]
        bestmove = text.partition(" ")[2].partition(" ")[0]
        return Answer(tuple(lines), bestmove, _ms(at - started))

    def stop(self) -> None:
        """End the search that runs, from any thread."""
        with contextlib.suppress(EngineGone):
            self._say("stop")

    def close(self) -> None:
        """End."""
        raise NotImplementedError

    def _say(self, line: str) -> None:
        """Say a line. Raises `EngineGone`."""
        raise NotImplementedError

    def _until(self, word: str, seconds: float | None) -> list[tuple[float, str]]:
        """Return the lines up to one that begins with ``word``. Raises `EngineGone`."""
        lines = []
        deadline = None if seconds is None else perf_counter() + seconds
        while True:
            left = None if deadline is None else max(0.0, deadline - perf_counter())
            try:
                heard = self._heard.get(timeout=left)
            except queue.Empty:
                raise EngineGone(f"{self.name} says no {word}") from None
            if heard is None:
                raise EngineGone(f"{self.name} has ended")
            lines.append(heard)
            if heard[1].split(" ", 1)[0] == word:
                return lines


class OwnEngine(Contestant):
    """This engine, in threads of this process."""

    def __init__(self) -> None:
        """Load it. Raises `EngineGone`."""
        super().__init__(OURS)
        loader = Loader()
        loader.start()
        loader.done.wait()
        if loader.error is not None:
            raise EngineGone(f"the engine cannot be loaded: {loader.error}")
        self._saying = threading.Lock()
        self._session = Session(Writer(self), loader, patient=True)

    def introduce(self, options: Mapping[str, str]) -> None:
        """See `Contestant`."""
        super().introduce(options)
        self.short = shortfalls(self._session.options, options)

    def write(self, data: bytes) -> int:
        """Take lines from the session's threads, whose stream this is."""
        at = perf_counter()
        for line in data.decode().splitlines():
            self._heard.put((at, line))
        return len(data)

    def flush(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Stop the search that runs, and end."""
        self._session.interrupt()
        self._session.resources.open("SyzygyPath", "")

    def _say(self, line: str) -> None:
        with self._saying:
            self._session.handle(f"{line}\n".encode())


def split_command(text: str) -> list[str]:
    """Return the words of a command, of which quotes may hold several together.

    On Windows a backslash is part of a path. Raises `ValueError` where a quote is not closed.
    """
    if os.name == "posix":
        return shlex.split(text)
    return [word.strip('"') for word in shlex.split(text, posix=False)]


class OtherEngine(Contestant):
    """An engine by its command."""

    def __init__(self, word: str) -> None:
        """Start it. Raises `EngineGone`."""
        super().__init__(word)
        try:
            words = [word] if Path(word).is_file() else split_command(word)
            if not words:
                raise EngineGone("--engine needs a command")
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                encoding="utf-8", errors="replace", start_new_session=True,  # a Ctrl-C is for us
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise EngineGone(f"{word}: {reason(error)}") from None
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Tell it to quit, and end it when it does not."""
        try:
            self._say("quit")
            self._process.wait(LAST_WORDS)
        except (EngineGone, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise EngineGone(f"{self.name} has ended") from None

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._heard.put((perf_counter(), line.rstrip()))
        self._heard.put(None)


def start(word: str) -> Contestant:
    """Return an engine, ours or that of a command, that has to `introduce` itself.

    Raises `EngineGone`.
    """
    return OwnEngine() if word == OURS else OtherEngine(word)


def _ms(seconds: float) -> int:
    return round(1000 * seconds)
