"""`AsyncEngine`: the engine inside a process with an event loop."""

import asyncio
import concurrent.futures.thread  # noqa: F401  (imported first, so that its exit handler runs after ours)
import contextlib
import operator
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import chess
from chess.engine import (
    AnalysisResult,
    BaseCommand,
    ConfigMapping,
    Cp,
    EngineError,
    EngineTerminatedError,
    PlayResult,
    PovScore,
    UciProtocol,
)

from engine.board.types import MAX_PLY
from uci.chess_io.mate_certificate import MateCertificate
from uci.errors import UciError
from uci.protocol.options import OPTIONS
from uci.session.backend import Backend, Notice, load
from uci.session.loader import Loader
from uci.session.prover import Stopped, prove
from uci.session.worker import StopEvent

from .checked_input import check_network, checked_board, checked_root_moves
from .transport import SessionTransport

if TYPE_CHECKING:
    from uci.session.own_evaluation import OwnEvaluation

T = TypeVar("T")

_loading = threading.Lock()
"""Held while an engine in this process compiles or loads its kernels."""

DEFAULTS = {"UCI_ShowWDL": True}
"""Options of the library that differ from those of UCI."""

_running: set[StopEvent] = set()
"""The stop events of all running perfts and proofs."""


class AsyncEngine(UciProtocol):
    """A chess engine for `asyncio`, with the coroutines of `chess.engine.UciProtocol`.

    `open` creates one, which belongs to the current event loop. A new command replaces the running
    one, whose caller gets a `CancelledError`. Use it in an ``async with`` statement, or `close` it.
    """

    backend: Backend
    _session: SessionTransport

    def __init__(self) -> None:
        super().__init__()
        self._stops: set[StopEvent] = set()
        self._closed = False
        self._said: deque[str] = deque(maxlen=len(OPTIONS))
        """The last messages (``info string``) outside searches."""

    @classmethod
    async def open(
        cls,
        options: ConfigMapping | None = None,
        *,
        evaluate: Callable[..., int] | None = None,
        network: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Return a ready engine, with ``options`` as in `configure`.

        On the first use on a machine the engine is compiled, which takes up to a minute. Raises
        `EngineError` if the engine cannot be loaded or an option is invalid.

        ``evaluate(board, by_type, by_colour, side)`` evaluates positions in place of the network:
        see EVALUATE.md. It is compiled with the search, once. Raises whatever it raises when it is
        tried, or numba's error if it cannot be compiled. ``network`` is the path of a network file
        to use instead of the built-in one; raises `EngineError` if it is not a valid one. Raises
        `ValueError` if both are given.
        """
        if evaluate is not None and network is not None:
            raise ValueError("evaluate and network cannot be used together")
        if network is not None:
            await asyncio.to_thread(check_network, network)
            options = {**(options or {}), "EvalFile": os.fspath(network)}
        own = None if evaluate is None else await asyncio.to_thread(_try_out, evaluate)
        loader = Loader(partial(_load_one, own.load if own else load))
        loader.evaluation = own.label if own else ""
        loader.start()
        await _done(loader)
        if loader.backend is None:
            raise EngineError(f"the engine failed to load: {loader.error}") from loader.error
        engine = cls()
        engine.backend = loader.backend
        engine._session = SessionTransport(engine, loader)
        try:
            await engine.initialize()
            await engine.configure(DEFAULTS | dict(options or {}))
        except BaseException:
            engine.close()
            raise
        return engine

    async def configure(self, options: ConfigMapping) -> None:
        """Set UCI options by name, as `chess.engine.Protocol.configure` does.

        Raises `EngineError` for an unknown option, an invalid value, a missing file, or if the
        system does not have enough memory or threads.
        """
        self._said.clear()
        before = self.config.copy(), self.target_config.copy()
        await super().configure(options)
        await self.communicate(_Settled)
        if refused := self._session.refused(options):
            # Otherwise the next search, and the engines of `analyse_many`, would set them again.
            for known, old in zip((self.config, self.target_config), before, strict=True):
                for name in refused:
                    known.pop(name, None)
                    if name in old:
                        known[name] = old[name]
            raise EngineError(
                "; ".join(self._said) or f"could not set options: {', '.join(refused)}"
            )

    def line_received(self, line: str) -> None:
        """Keep the engine's ``info string`` messages."""
        if line.startswith("info string "):
            self._said.append(line.removeprefix("info string "))

    async def play(
        self,
        board: chess.Board,
        *args: Any,
        root_moves: Iterable[chess.Move] | None = None,
        **kwargs: Any,
    ) -> PlayResult:
        """Return the move to play in a position, as `chess.engine.Protocol.play` does.

        Raises `EngineError` for an illegal position or root move, or a board of a variant.
        """
        self._check_open()
        moves = checked_root_moves(board, root_moves)
        return await super().play(board, *args, root_moves=moves, **kwargs)

    async def analysis(
        self,
        board: chess.Board,
        *args: Any,
        root_moves: Iterable[chess.Move] | None = None,
        **kwargs: Any,
    ) -> AnalysisResult:
        """Start an analysis and return it, as `chess.engine.Protocol.analysis` does.

        Raises `EngineError` for an illegal position or root move, or a board of a variant.
        """
        self._check_open()
        moves = checked_root_moves(board, root_moves)
        return await super().analysis(board, *args, root_moves=moves, **kwargs)

    async def evaluate(self, board: chess.Board) -> PovScore:
        """Return the static evaluation of a position in centipawns, without a search.

        Raises `EngineError` for an illegal position or a board of a variant.
        """
        self._check_open()
        return PovScore(Cp(self.backend.evaluate(checked_board(board))), board.turn)

    async def perft(self, board: chess.Board, depth: int, *, threads: int = 1) -> int:
        """Return the number of leaf nodes of the tree of legal moves, ``depth`` plies deep.

        Raises `EngineError` for an illegal position, a board of a variant, a ``depth`` below 0 or
        too large, or ``threads`` below 1; `TypeError` for numbers that are not integers.
        """
        depth, threads = operator.index(depth), operator.index(threads)
        if not 0 <= depth <= MAX_PLY or threads < 1:
            raise EngineError(f"perft: invalid depth {depth} or number of threads {threads}")
        self._check_open()
        checked = checked_board(board)
        counts = await self._in_thread(lambda stop: self._count(checked, depth, threads, stop))
        return sum(counts.values())

    async def prove(
        self, board: chess.Board, mate: int, *, hash_mb: int = 16
    ) -> MateCertificate | None:
        """Return the proof of a mate in at most ``mate`` moves, None if there is no such mate.

        With a negative ``mate`` the side to move is to be mated. The moves before ``board`` do not
        count. The proof runs at the same time as searches, with a hash table of ``hash_mb`` MiB.
        Raises `EngineError` for an illegal position, a board of a variant, or a mate that the
        fifty-move rule may prevent; `MemoryError` if there is no memory for the table.
        """
        mate, hash_mb = operator.index(mate), operator.index(hash_mb)
        self._check_open()
        checked = checked_board(board)
        checked.chess960 = board.chess960
        try:
            return await self._in_thread(lambda stop: prove(checked, mate, hash_mb, stop))
        except UciError as error:
            raise EngineError(str(error)) from None

    async def _in_thread(self, work: Callable[[StopEvent], T]) -> T:
        """Return the result of ``work``, run in a thread of its own that the engine's end stops.

        Raises `EngineTerminatedError` if the engine ended before the work did.
        """
        stop = StopEvent()
        for group in (self._stops, _running):
            group.add(stop)
        try:
            result = await asyncio.to_thread(work, stop)
        except asyncio.CancelledError:
            stop.set()
            raise
        except Stopped:
            raise EngineTerminatedError("the engine was closed") from None
        finally:
            for group in (self._stops, _running):
                group.discard(stop)
        if stop.is_set():
            raise EngineTerminatedError("the engine was closed")
        return result

    async def communicate(self, command_factory: Callable[[Self], BaseCommand[T]]) -> T:
        """Run a command; cancel the running one, and one that waits for it.

        Their callers get a `CancelledError`.
        """
        self._check_open()
        # python-chess's own cancellation fails for a command that has not begun.
        if self.next_command is not None:
            self.next_command.result.cancel()
            self.next_command = None
        return await super().communicate(command_factory)

    async def send_game_result(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the engine does not use results. `chess.engine.Protocol` has this method."""
        self._check_open()
        await super().send_game_result(*args, **kwargs)

    async def quit(self) -> None:
        """Send ``quit``, and wait until the engine has ended."""
        self._check_open()
        await super().quit()

    def close(self) -> None:
        """Stop all work and end the engine; call it in the event loop's thread.

        Callers that wait for an answer get an `EngineTerminatedError`, as does every later call.
        """
        self._closed = True
        _set(self._stops)
        if self.transport is not None:
            self.transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        await self.returncode

    def _check_open(self) -> None:
        """Raise `EngineTerminatedError` if the engine is closed or has ended."""
        if self._closed or self.returncode.done():
            raise EngineTerminatedError("the engine is closed")

    def _count(
        self, board: chess.Board, depth: int, threads: int, stop: StopEvent
    ) -> Mapping[int, int]:
        if depth < 1:
            return {0: 1}
        return dict(self.backend.perft(board, depth, threads, 0, stop.add_callback))


class _Settled(BaseCommand[None]):
    """An ``isready`` that keeps other lines as messages, which `ping` would drop."""

    def start(self) -> None:
        """Send the command."""
        self._engine.send_line("isready")

    def line_received(self, line: str) -> None:
        """Finish at ``readyok``; the result may have been cancelled."""
        if line == "readyok":
            if not self.result.done():
                self.result.set_result(None)
            self.set_finished()


def _set(stops: set[StopEvent]) -> None:
    for stop in list(stops):
        stop.set()


# Runs before the interpreter waits for the threads of executors; `atexit` runs after that.
threading._register_atexit(_set, _running)  # type: ignore[attr-defined]


def _load_one(load: Callable[[Notice], Backend], notice: Notice) -> Backend:
    with _loading:
        return load(notice)


def _try_out(evaluate: Callable[..., int]) -> "OwnEvaluation":
    """Return a user's evaluation after trying it out; raises the error of the trial."""
    from uci.session.own_evaluation import OwnEvaluation

    with _loading:
        return OwnEvaluation(evaluate)


async def _done(loader: Loader) -> None:
    """Wait until ``loader`` has ended; a cancelled wait leaves no waiting thread behind."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended, with the waiters
            loop.call_soon_threadsafe(done.set)

    loader.when_done(tell)
    await done.wait()
