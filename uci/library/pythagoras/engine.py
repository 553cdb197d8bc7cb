"""The engine inside a process, for programs without an event loop."""

import asyncio
import atexit
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import wraps
from types import MappingProxyType
from typing import Any, Self, TypeVar, cast

import chess
from chess.engine import (
    INFO_ALL,
    ConfigMapping,
    EngineTerminatedError,
    Info,
    Limit,
    PovScore,
    SimpleAnalysisResult,
    SimpleEngine,
)

from .async_engine import AsyncEngine
from .transport import SessionTransport

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_open: "weakref.WeakSet[Engine]" = weakref.WeakSet()

LAST_WORDS = 5.0
"""Seconds that an engine has to end in."""


def _interruptible(method: F) -> F:
    """Return ``method``, made to stop the search where Ctrl-C ends the wait for it."""

    @wraps(method)
    def wrapped(self: "Engine | Analysis", *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except KeyboardInterrupt:
            with suppress(EngineTerminatedError):
                self.stop()
            raise

    return cast(F, wrapped)


class Engine(SimpleEngine):
    """An engine with the methods, types and errors of `chess.engine.SimpleEngine`.

    It lives in threads of its own, and any thread may use it: what is new takes the place of the
    search that runs, and who waits for that gets a `CancelledError`. `close` it, or use it in a
    ``with``; one that is left open ends with the interpreter. Ctrl-C stops a search; the next one
    can begin.
    """

    _protocol: AsyncEngine
    _session: SessionTransport

    def __init__(
        self, options: ConfigMapping | None = None, *, timeout: float | None = 10.0
    ) -> None:
        """Return when it is ready, with ``options`` as in `configure`.

        The first on a machine takes up to a minute, while it is compiled. ``timeout`` is how many
        seconds longer than expected an operation may take. Raises `chess.engine.EngineError`.
        """
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._live(options, timeout, opened)),
            name="Engine",
            daemon=True,
        )
        try:
            self._thread.start()
            opened.result()
            _open.add(self)
        except BaseException:
            if not opened.cancel() and opened.exception() is None:
                self.close()
            raise

    play = _interruptible(SimpleEngine.play)
    analyse = _interruptible(SimpleEngine.analyse)

    @_interruptible
    def analysis(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = MappingProxyType({}),
    ) -> "Analysis":
        """See `chess.engine.SimpleEngine.analysis`."""
        begun = super().analysis(
            board, limit, multipv=multipv, game=game, info=info, root_moves=root_moves,
            options=options,
        )  # fmt: skip
        return Analysis(self, begun.inner)

    def evaluate(self, board: chess.Board) -> PovScore:
        """See `AsyncEngine.evaluate`."""
        return self._await(self._protocol.evaluate(board))

    def perft(self, board: chess.Board, depth: int, *, threads: int = 1) -> int:
        """See `AsyncEngine.perft`."""
        return self._await(self._protocol.perft(board, depth, threads=threads))

    def stop(self) -> None:
        """End the search that runs; who waits for it gets what was found.

        Raises `chess.engine.EngineTerminatedError` if the engine is closed.
        """
        with self._not_shut_down():
            self._session.stop_search()

    def close(self) -> None:
        """Stop all work and end; who waits for an answer gets an `EngineTerminatedError`."""
        self._end(self._protocol.close)

    def _end(self, end: Callable[[], None]) -> None:
        with self._shutdown_lock:
            if not self._shutdown:
                self._shutdown = True
                self.protocol.loop.call_soon_threadsafe(end)
        if threading.current_thread() is not self._thread:
            self._thread.join(LAST_WORDS)

    def __enter__(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._protocol.id['name']}>"

    def _await(self, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            with self._not_shut_down():
                future = asyncio.run_coroutine_threadsafe(coroutine, self.protocol.loop)
        except BaseException:
            coroutine.close()
            raise
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    async def _live(
        self, options: ConfigMapping | None, timeout: float | None, opened: "Future[None]"
    ) -> None:
        """Run the event loop from the start of the engine to its end.

        If ``opened`` is cancelled, nobody waits for the engine any more, and it is closed.
        """
        loop, opening = asyncio.get_running_loop(), asyncio.ensure_future(AsyncEngine.open(options))

        def give_up(opened: "Future[None]") -> None:
            if opened.cancelled():
                loop.call_soon_threadsafe(opening.cancel)

        opened.add_done_callback(give_up)
        try:
            engine = await opening
        except BaseException as error:  # noqa: BLE001  (raised by `__init__`)
            with suppress(InvalidStateError):
                opened.set_exception(error)
            return
        self._protocol, self._session = engine, cast(SessionTransport, engine.transport)
        super().__init__(self._session, engine, timeout=timeout)
        try:
            opened.set_result(None)
        except InvalidStateError:
            engine.close()
        code = await engine.returncode
        self.returncode.set_result(code)
        with self._shutdown_lock:
            self._shutdown = True
        if waiting := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(waiting, timeout=LAST_WORDS)  # for an answer: they hear of the end


class Analysis(SimpleAnalysisResult):
    """What `Engine.analysis` returns."""

    wait = _interruptible(SimpleAnalysisResult.wait)
    get = _interruptible(SimpleAnalysisResult.get)
    next = _interruptible(SimpleAnalysisResult.next)
    __next__ = _interruptible(SimpleAnalysisResult.__next__)


@atexit.register
def _close_all() -> None:
    """End the engines that are open: the interpreter must not end while one is in machine code."""
    for engine in list(_open):
        engine._end(engine._session.quit)
