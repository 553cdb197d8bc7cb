"""Sends lines of all kinds to a running engine, which must keep answering ``isready``.

A process receives `BATCH` lines, then ``isready``; every other batch is sent during a search. After
`LIFE` batches the process must end properly, and a new one is started.
"""

import contextlib
import queue
import random
import subprocess
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.patience import SILENCE
from scripts.reliability.uci_lines import lines

BATCH = 100
LIFE = 50


class Finding(Exception):
    """An error of the engine, with the last lines that it received."""


@dataclass(slots=True)
class Report:
    """The number of lines, of lines during a search, and of answers by their first word."""

    lines: int = 0
    searching: int = 0
    answers: Counter[str] = field(default_factory=Counter)


class Engine:
    """A process whose output is read all the time, so that it never blocks; all in bytes."""

    def __init__(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None
    ) -> None:
        self.popen = subprocess.Popen(
            command, cwd=cwd, env=env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._said: queue.Queue[bytes] = queue.Queue()
        self._errors = b""
        self._threads = [threading.Thread(target=target) for target in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        for line in self.popen.stdout or ():
            self._said.put(line)
        self._said.put(b"")

    def _listen(self) -> None:
        self._errors = self.popen.stderr.read() if self.popen.stderr else b""

    def tell(self, *said: bytes) -> None:
        """Write lines. Raises `Finding` if the process no longer reads them."""
        assert self.popen.stdin is not None
        try:
            self.popen.stdin.write(b"".join(line + b"\n" for line in said))
            self.popen.stdin.flush()
        except OSError:
            raise self._end_of_it() from None

    def until(self, start: bytes) -> list[bytes]:
        """Return the lines up to one that begins with ``start``. Raises `Finding`."""
        heard = []
        while True:
            try:
                line = self._said.get(timeout=SILENCE)
            except queue.Empty:
                raise Finding(f"no {start.decode()} within {SILENCE:.0f} s") from None
            if not line:
                raise self._end_of_it()
            heard.append(line)
            if line.startswith(start):
                return heard

    def _end_of_it(self) -> Finding:
        """Return how a process ended that neither reads nor writes any more."""
        try:
            return Finding(f"it ended with status {self.popen.wait(SILENCE)}")
        except subprocess.TimeoutExpired:
            return Finding("it closed its streams, but has not ended")

    def end(self) -> None:
        """Send ``quit``. Raises `Finding` if the process does not end, or has written an error."""
        try:
            self.tell(b"quit")
            status = self.popen.wait(SILENCE)
        except subprocess.TimeoutExpired:
            raise Finding("it does not end after quit") from None
        finally:
            self.kill()
        if status or self._errors:
            raise Finding(f"status {status}, {self._errors.decode(errors='replace')}")

    def kill(self) -> None:
        """Kill the process."""
        self.popen.kill()
        self.popen.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                # Closing flushes input that the process did not read, which fails.
                with contextlib.suppress(OSError):
                    pipe.close()


def fuzz(command: Sequence[str], cwd: Path, number: int, seed: int) -> Report:
    """Send ``number`` lines to engines that ``command`` starts in the empty folder ``cwd``.

    The same ``seed`` sends the same lines. Raises `Finding`.
    """
    source, report = lines(random.Random(seed)), Report()
    while report.lines < number:
        engine = Engine(command, cwd)
        batch: list[bytes] = []
        try:
            engine.tell(b"uci", b"isready")
            engine.until(b"readyok")
            for turn in range(LIFE):
                batch = [next(source) for _ in range(min(BATCH, number - report.lines))]
                searching = turn % 2 == 1
                if searching:
                    engine.tell(b"stop", b"setoption name UCI_LimitStrength value false")
                    engine.tell(b"position startpos", b"go infinite")
                    batch = [line for line in batch if not _ends_a_search(line)]
                engine.tell(*batch, b"isready")
                _count(engine.until(b"readyok"), report)
                if searching:
                    engine.tell(b"stop")
                    _count(engine.until(b"bestmove"), report)
                    report.searching += len(batch)
                report.lines += len(batch)
                if report.lines >= number:
                    break
            engine.tell(b"stop", b"isready")
            _count(engine.until(b"readyok"), report)
            batch = []
            engine.end()
        except Finding as finding:
            told = b"\n".join(batch)
            raise Finding(f"seed {seed}, after {report.lines} lines: {finding}\n{told!r}") from None
        finally:
            engine.kill()
    return report


def _ends_a_search(line: bytes) -> bool:
    """Return whether a line may end the running search, or start another."""
    words = (b"go", b"stop", b"quit", b"perft", b"bench", b"eval", b"position", b"ucinewgame")
    return any(word in line for word in words)


def _count(heard: list[bytes], report: Report) -> None:
    """Count the answers. Raises `Finding` for invalid ones."""
    check(heard)
    for line in heard:
        word = line.split(None, 1)[0].decode() if line.strip() else ""
        report.answers[word] += 1


def check(heard: list[bytes]) -> None:
    """Raise `Finding` for lines that clients cannot parse, and for uncaught errors."""
    for line in heard:
        if b"Traceback" in line or b"internal error" in line:
            raise Finding(f"it wrote {line!r}")
        try:
            line.decode()
        except UnicodeDecodeError:
            raise Finding(f"it wrote what is not UTF-8: {line!r}") from None
