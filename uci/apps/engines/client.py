"""A UCI engine in a process of its own, ours or any other.

`chess.engine` starts the process and transfers the lines, which are kept as received: its own
analysis merges bounds into exact lines, and parsing every line would slow down the search. The
event loop of each engine runs in the thread that waits for its answer.
"""

import asyncio
import os
import shlex
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from chess.engine import BaseCommand, EngineError, Protocol, UciProtocol

from uci.apps.console.own_command import own_command
from uci.errors import UciError, reason
from uci.session.loader import FALLBACK
from uci.session.settings import Shortfall, read_shortfall

OURS = "pythagoras"
"""The engine name that stands for this engine."""

PATIENCE = 60.0
"""Seconds to wait for an answer that needs no search."""

CLOSE_TIMEOUT = 5.0
"""Seconds to wait for an engine to end before it is killed."""

KILLED_WITHIN = 1.0
"""Seconds for the pipes of a killed engine to close; its children may hold them open."""

T = TypeVar("T")

Heard = tuple[float, str]
"""When a line came, in seconds of `perf_counter`, and the line."""


class EngineGone(Exception):
    """Raised if an engine has ended or stopped answering. It is restarted at the next use."""


class TaskStopped(Exception):
    """Raised if a task was stopped; it has no result."""


class _Exchange(BaseCommand[list[Heard]]):
    """Sends lines to an engine, and collects its lines up to the one that begins with ``last``."""

    def __init__(self, engine: Protocol, lines: Sequence[str], last: str) -> None:
        super().__init__(engine)
        self._lines, self._last = lines, last
        self._heard: list[Heard] = []

    def check_initialized(self) -> None:
        pass  # otherwise python-chess sends ``uci`` itself

    def start(self) -> None:
        self._engine.send_line("\n".join(self._lines))

    def line_received(self, line: str) -> None:
        if not self.result.done():
            self._heard.append((perf_counter(), line))
            if line.split(" ", 1)[0] == self._last:
                self.result.set_result(self._heard)
                self.set_finished()


class EngineClient:
    """An engine that is started at the first use, and again if it has ended.

    One thread uses it at a time; any thread may call `stop`.
    """

    def __init__(
        self, word: str, options: Mapping[str, str], arguments: Sequence[str] = ()
    ) -> None:
        """Set the command, or `OURS`, and the options to set if the engine has them.

        ``arguments`` are for `OURS`.
        """
        self.name = word
        self.missing_options: tuple[str, ...] = ()
        """Requested options that the engine does not have."""
        self.short: tuple[Shortfall, ...] = ()
        """Options of which the system provided less than requested, as far as known."""
        self.options: dict[str, str] = {}
        """The engine's options by name, as it declares them."""
        self._word, self._given, self._arguments = word, options, arguments
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._protocol: UciProtocol | None = None
        self._stopped = False

    @property
    def is_ours(self) -> bool:
        """Whether this is our engine."""
        return self._word == OURS

    def start(self) -> bool:
        """Start the process, unless it runs, and wait until it is ready; return whether it was
        started.

        Raises `UciError` if it cannot be started, `EngineGone`, or `TaskStopped`.
        """
        if self._protocol is not None:
            return False
        self._run(self._start())
        return True

    def ask(
        self,
        lines: Sequence[str],
        last: str,
        seconds: float | None = None,
        stop_after: float | None = None,
    ) -> list[Heard]:
        """Send lines; return the answer, up to the line that begins with the word ``last``.

        A search may be stopped after ``stop_after`` seconds. Raises as `start` does, and
        `EngineGone` if there is no answer within ``seconds``.
        """
        self.start()
        return self._run(self._exchange(lines, last, seconds, stop_after))

    def stop(self) -> None:
        """End the engine, now and after every later request; callable from any thread."""
        self._stopped = True
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._leave)

    def close(self) -> None:
        """End the engine, and wait until it has ended."""
        self._stopped = True
        self._runner.run(self._end())
        self._runner.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` in the event loop; if it fails, end the process."""
        try:
            return self._runner.run(work)
        except BaseException:
            self._runner.run(self._end())
            if self._stopped:
                raise TaskStopped from None
            raise

    async def _start(self) -> None:
        try:
            command = [*command_of(self._word), *self._arguments]
            _, self._protocol = await UciProtocol.popen(command, setpgrp=True, stderr=None)
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: no thread can start
            raise UciError(f"{self._word}: {reason(error)}") from None
        if self._stopped:
            raise TaskStopped
        for _, line in await self._exchange(["uci"], "uciok", PATIENCE):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            elif line.startswith("option name "):
                name, _, kind = line.removeprefix("option name ").partition(" type ")
                self.options[name.strip()] = kind
        self.missing_options = tuple(name for name in self._given if name not in self.options)
        given = [
            f"setoption name {name} value {value}"
            for name, value in self._given.items()
            if name in self.options
        ]
        said = await self._exchange([*given, "isready"], "readyok", PATIENCE)
        if self.is_ours:
            # `readyok` does not wait for kernels that are being compiled; a search does.
            said += await self._exchange(["go depth 1"], "bestmove", None)
            texts = [line.removeprefix("info string ") for _, line in said]
            for text in texts:
                if text.startswith(FALLBACK):
                    raise UciError(f"engine failed to load{text.removeprefix(FALLBACK)}")
            self.short = tuple(found for text in texts if (found := read_shortfall(text)))

    async def _exchange(
        self,
        lines: Sequence[str],
        last: str,
        seconds: float | None,
        stop_after: float | None = None,
    ) -> list[Heard]:
        assert self._protocol is not None
        if stop_after is not None:
            self._loop.call_later(stop_after, self._protocol.send_line, "stop")
        answer: Awaitable[list[Heard]] = self._protocol.communicate(
            lambda engine: _Exchange(engine, lines, last)
        )
        try:
            return await asyncio.wait_for(answer, seconds)
        except TimeoutError:
            raise EngineGone(f"{self.name}: timed out waiting for {last}") from None
        except EngineError:
            raise EngineGone(f"{self.name} has ended") from None

    def _leave(self) -> None:
        """Send ``quit``, and wait for the end, within the engine's loop."""
        if self._protocol is not None:
            self._protocol.send_line("stop\nquit")
            self._loop.call_later(CLOSE_TIMEOUT, self._kill, self._protocol)

    async def _end(self) -> None:
        """End the process, if it runs."""
        protocol, self._protocol = self._protocol, None
        if protocol is None or protocol.transport is None:
            return
        if not protocol.returncode.done():
            protocol.send_line("stop\nquit")
            await asyncio.wait([protocol.returncode], timeout=CLOSE_TIMEOUT)
            if not protocol.returncode.done():
                self._kill(protocol)
                await asyncio.wait([protocol.returncode], timeout=KILLED_WITHIN)
        protocol.transport.close()

    @staticmethod
    def _kill(protocol: UciProtocol) -> None:
        if protocol.transport is not None:
            with suppress(ProcessLookupError):
                protocol.transport.kill()


def command_of(word: str) -> list[str]:
    """Return the command line of an engine. Raises `UciError`, `ValueError`."""
    if word == OURS:
        return own_command()
    words = [word] if Path(word).is_file() else split_command(word)
    if not words:
        raise UciError("--engine: expected a command")
    return words


def split_command(text: str) -> list[str]:
    """Return the words of a command line; quotes keep words together.

    On Windows a backslash is part of a path. Raises `ValueError` if a quote is not closed.
    """
    if os.name == "posix":
        return shlex.split(text)
    return [word.strip('"') for word in shlex.split(text, posix=False)]
