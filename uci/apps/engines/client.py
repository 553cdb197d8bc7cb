"""An engine in a process of its own, ours or any other, spoken to in UCI.

`chess.engine` starts the process and carries its lines. They are kept as they came: its own
analysis merges bounds into exact lines, and parses every line, which costs a part of the search's
time. Each engine's event loop runs in the thread that waits for an answer.
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
"""The word for this engine."""

PATIENCE = 60.0
"""Seconds in which an engine answers where nothing is to be searched."""

LAST_WORDS = 5.0
"""Seconds that an engine has to end in, before it is killed."""

KILLED_WITHIN = 1.0
"""Seconds for the pipes of a killed engine to close; its children may hold them open."""

T = TypeVar("T")

Heard = tuple[float, str]
"""When a line came, in seconds of `perf_counter`, and the line."""


class EngineGone(Exception):
    """An engine has ended, or answers no more. It is started again when it is next asked."""


class TaskStopped(Exception):
    """The task was broken off, and has no result."""


class _Exchange(BaseCommand[list[Heard]]):
    """Lines to an engine, and its lines up to the one that begins with the word ``last``."""

    def __init__(self, engine: Protocol, lines: Sequence[str], last: str) -> None:
        super().__init__(engine)
        self._lines, self._last = lines, last
        self._heard: list[Heard] = []

    def check_initialized(self) -> None:
        pass  # this also says the first ``uci``

    def start(self) -> None:
        self._engine.send_line("\n".join(self._lines))

    def line_received(self, line: str) -> None:
        if not self.result.done():
            self._heard.append((perf_counter(), line))
            if line.split(" ", 1)[0] == self._last:
                self.result.set_result(self._heard)
                self.set_finished()


class EngineClient:
    """An engine that is started when it is first asked, and again once it has ended.

    One thread uses it at a time; only `stop` is for all.
    """

    def __init__(self, word: str, options: Mapping[str, str]) -> None:
        """Take `OURS` or a command, and the options to be set where the engine has them."""
        self.name = word
        self.missing_options: tuple[str, ...] = ()
        """Options that it does not have."""
        self.short: tuple[Shortfall, ...] = ()
        """Where it has less than it was to have, as far as that is known."""
        self.options: dict[str, str] = {}
        """Those that it has, by their names, as it declares them."""
        self._word, self._given = word, options
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._protocol: UciProtocol | None = None
        self._stopped = False

    @property
    def is_ours(self) -> bool:
        """Whether it is this engine."""
        return self._word == OURS

    def start(self) -> bool:
        """Start the process, unless it runs, and wait until it is ready; return whether it began.

        Raises `UciError` where it cannot be started, `EngineGone`, `TaskStopped`.
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
        """Return the answer to some lines, up to the line that begins with the word ``last``.

        A search may be stopped, ``stop_after`` so many seconds. Raises as `start` does, and
        `EngineGone` where there is no answer after so many ``seconds``.
        """
        self.start()
        return self._run(self._exchange(lines, last, seconds, stop_after))

    def stop(self) -> None:
        """End the engine and whatever it is asked from now on; from any thread."""
        self._stopped = True
        with suppress(RuntimeError):  # it is closed
            self._loop.call_soon_threadsafe(self._leave)

    def close(self) -> None:
        """End the engine, and wait for that."""
        self._stopped = True
        self._runner.run(self._end())
        self._runner.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work. Where it fails, the process is ended."""
        try:
            return self._runner.run(work)
        except BaseException:
            self._runner.run(self._end())
            if self._stopped:
                raise TaskStopped from None
            raise

    async def _start(self) -> None:
        try:
            command = command_of(self._word)
            _, self._protocol = await UciProtocol.popen(command, setpgrp=True, stderr=None)
        except (OSError, ValueError, RuntimeError) as error:  # the last: no thread to wait for it
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
            # Its `readyok` does not wait for kernels that are being compiled; this does.
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
        """Have the engine end, within its loop."""
        if self._protocol is not None:
            self._protocol.send_line("stop\nquit")
            self._loop.call_later(LAST_WORDS, self._kill, self._protocol)

    async def _end(self) -> None:
        """End the process, if there is one."""
        protocol, self._protocol = self._protocol, None
        if protocol is None or protocol.transport is None:
            return
        if not protocol.returncode.done():
            protocol.send_line("stop\nquit")
            await asyncio.wait([protocol.returncode], timeout=LAST_WORDS)
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
    """Return the words of an engine's command. Raises `UciError`, `ValueError`."""
    if word == OURS:
        return own_command()
    words = [word] if Path(word).is_file() else split_command(word)
    if not words:
        raise UciError("--engine needs a command")
    return words


def split_command(text: str) -> list[str]:
    """Return the words of a command, of which quotes may hold several together.

    On Windows a backslash is part of a path. Raises `ValueError` where a quote is not closed.
    """
    if os.name == "posix":
        return shlex.split(text)
    return [word.strip('"') for word in shlex.split(text, posix=False)]
