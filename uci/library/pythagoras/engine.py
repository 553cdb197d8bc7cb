"""`Engine`: the engine inside a process, for programs without an event loop."""

import asyncio
import atexit
import operator
import os
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial, wraps
from types import MappingProxyType
from typing import Any, Self, TypeVar, cast, overload

import chess
from chess.engine import (
    INFO_ALL,
    ConfigMapping,
    ConfigValue,
    EngineError,
    EngineTerminatedError,
    Info,
    InfoDict,
    Limit,
    PovScore,
    SimpleAnalysisResult,
    SimpleEngine,
)

from engine.cores import cores
from uci.chess_io.mate_certificate import MateCertificate

from .async_engine import DEFAULTS, AsyncEngine
from .many_analyses import ManyAnalyses
from .transport import SessionTransport

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_open: "weakref.WeakSet[Engine]" = weakref.WeakSet()

CLOSE_TIMEOUT = 5.0
"""Seconds to wait for the engine to end."""


def _interruptible(method: F) -> F:
    """Return ``method``, wrapped so that Ctrl-C stops the search."""

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
    """A chess engine with the methods, types and errors of `chess.engine.SimpleEngine`.

    It runs in threads of its own, and any thread may use it. A new search replaces the running one,
    whose caller gets a `CancelledError`. Use it in a ``with`` statement, or `close` it; an open
    engine ends with the interpreter. Ctrl-C stops a search and leaves the engine ready for the
    next.
    """

    _protocol: AsyncEngine
    _session: SessionTransport

    def __init__(
        self,
        options: ConfigMapping | None = None,
        *,
        timeout: float | None = 10.0,
        evaluate: Callable[..., int] | None = None,
        network: str | os.PathLike[str] | None = None,
    ) -> None:
        """Start the engine, with UCI ``options`` such as ``{"Hash": 64}``; return when it is ready.

        On the first use on a machine the engine is compiled, which takes up to a minute.
        ``timeout`` is the number of seconds that an operation may exceed its limit by. Raises
        `chess.engine.EngineError` if the engine cannot be loaded or an option is invalid.

        ``evaluate(board, by_type, by_colour, side)`` evaluates positions in place of the network:
        see EVALUATE.md. It is compiled with the search, once. Raises whatever it raises when it is
        tried, or numba's error if it cannot be compiled. ``network`` is the path of a network file
        to use instead of the built-in one; raises `chess.engine.EngineError` if it is not a valid
        one. Raises `ValueError` if both are given.
        """
        self._evaluate = evaluate
        open_engine = partial(AsyncEngine.open, options, evaluate=evaluate, network=network)
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._live(open_engine, timeout, opened)),
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
        """Start an analysis and return it, as `chess.engine.SimpleEngine.analysis` does.

        Iterate over it for the lines. Without ``limit`` it runs until its ``with`` statement ends.
        Raises `chess.engine.EngineError` for an illegal position or root move, or a board of a
        variant.
        """
        begun = super().analysis(
            board, limit, multipv=multipv, game=game, info=info, root_moves=root_moves,
            options=options,
        )  # fmt: skip
        return Analysis(self, begun.inner)

    @overload
    def analyse_many(
        self, boards: Iterable[chess.Board], limit: Limit, *, multipv: None = None,
        info: Info = INFO_ALL, jobs: int | None = None,
    ) -> ManyAnalyses[InfoDict]: ...  # fmt: skip

    @overload
    def analyse_many(
        self, boards: Iterable[chess.Board], limit: Limit, *, multipv: int,
        info: Info = INFO_ALL, jobs: int | None = None,
    ) -> ManyAnalyses[list[InfoDict]]: ...  # fmt: skip

    def analyse_many(
        self,
        boards: Iterable[chess.Board],
        limit: Limit,
        *,
        multipv: int | None = None,
        info: Info = INFO_ALL,
        jobs: int | None = None,
    ) -> ManyAnalyses[InfoDict] | ManyAnalyses[list[InfoDict]]:
        """Return an iterator of the analyses of many boards, in their order.

        Each is what `analyse` returns for the board as the first of a new game. ``boards`` may be a
        generator without an end. ``jobs`` engines with the options of this one search at a time, by
        default one for each core, each with a hash table of its own; with one thread each and a
        limit of nodes or depth, the results do not depend on their number. This engine is free
        meanwhile. Raises `chess.engine.EngineError` if there are fewer than one of ``jobs``.
        """
        options, protocol = self._options(), self._protocol
        threads = int(options.get("Threads") or 1)
        jobs = max(1, cores() // threads) if jobs is None else operator.index(jobs)
        if jobs < 1:
            raise EngineError(f"analyse_many with {jobs} jobs")
        protocol._check_open()

        def analyse(engine: Engine, board: chess.Board) -> Any:
            return engine.analyse(board, limit, multipv=multipv, game=object(), info=info)

        return ManyAnalyses(boards, analyse, lambda: Engine(options, evaluate=self._evaluate), jobs)

    def _options(self) -> dict[str, ConfigValue]:
        """Return the options that other engines should have, too."""
        known = self._protocol.options
        return {
            name: value
            for name, value in self._protocol.target_config.items()
            if not known[name].is_managed()
            and name != "Hash File"  # for one engine only
            and (value != known[name].default or name in DEFAULTS)
        }

    def evaluate(self, board: chess.Board) -> PovScore:
        """Return the static evaluation of a position in centipawns, without a search.

        Raises `chess.engine.EngineError` for an illegal position or a board of a variant.
        """
        return self._await(self._protocol.evaluate(board))

    def perft(self, board: chess.Board, depth: int, *, threads: int = 1) -> int:
        """Return the number of leaf nodes of the tree of legal moves, ``depth`` plies deep.

        Raises `chess.engine.EngineError` for an illegal position, a board of a variant, a ``depth``
        below 0 or too large, or ``threads`` below 1; `TypeError` for numbers that are not integers.
        """
        return self._await(self._protocol.perft(board, depth, threads=threads))

    def prove(self, board: chess.Board, mate: int, *, hash_mb: int = 16) -> MateCertificate | None:
        """Return the proof of a mate in at most ``mate`` moves, None if there is no such mate.

        With a negative ``mate`` the side to move is to be mated. The moves before ``board`` do not
        count. The proof runs at the same time as searches, with a hash table of ``hash_mb`` MiB.
        Raises `chess.engine.EngineError` for an illegal position, a board of a variant, or a mate
        that the fifty-move rule may prevent; `MemoryError` if there is no memory for the table.
        """
        return self._await(self._protocol.prove(board, mate, hash_mb=hash_mb))

    def stop(self) -> None:
        """Stop the running search; its caller gets the result so far.

        Raises `chess.engine.EngineTerminatedError` if the engine is closed.
        """
        with self._not_shut_down():
            self._session.stop_search()

    def close(self) -> None:
        """Stop all work and end the engine.

        Callers that wait for an answer get a `chess.engine.EngineTerminatedError`.
        """
        self._end(self._protocol.close)

    def _end(self, end: Callable[[], None]) -> None:
        with self._shutdown_lock:
            if not self._shutdown:
                self._shutdown = True
                self.protocol.loop.call_soon_threadsafe(end)
        if threading.current_thread() is not self._thread:
            self._thread.join(CLOSE_TIMEOUT)

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
        self,
        open_engine: Callable[[], Coroutine[Any, Any, AsyncEngine]],
        timeout: float | None,
        opened: "Future[None]",
    ) -> None:
        """Run the event loop from the engine's start to its end.

        If ``opened`` is cancelled, the engine is closed at once.
        """
        loop, opening = asyncio.get_running_loop(), asyncio.ensure_future(open_engine())

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
            await asyncio.wait(waiting, timeout=CLOSE_TIMEOUT)  # waiting callers get their error


class Analysis(SimpleAnalysisResult):
    """A running analysis, from `Engine.analysis`; see `chess.engine.SimpleAnalysisResult`."""

    wait = _interruptible(SimpleAnalysisResult.wait)
    get = _interruptible(SimpleAnalysisResult.get)
    next = _interruptible(SimpleAnalysisResult.next)
    __next__ = _interruptible(SimpleAnalysisResult.__next__)


@atexit.register
def _close_all() -> None:
    """End all open engines: the interpreter must not exit while one runs machine code."""
    for engine in list(_open):
        engine._end(engine._session.quit)
