"""`ManyAnalyses`: boards from an iterable, analysed by several engines in threads of this process.

Threads, since the search is machine code that releases the GIL: boards need not be pickled, nothing
has to be protected by ``if __name__ == "__main__"``, and a process that is killed leaves nothing.
"""

import concurrent.futures.thread  # noqa: F401  (imported first, so that its exit handler runs after ours)
import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, Protocol, Self, TypeVar

import chess
from chess.engine import EngineTerminatedError

AHEAD = 2
"""Boards for each engine that are read ahead."""

T = TypeVar("T")


class Closable(Protocol):
    """The interface for closing an engine."""

    def close(self) -> None:
        """Stop all work and end it."""


E = TypeVar("E", bound=Closable)

_open: "weakref.WeakSet[ManyAnalyses[Any]]" = weakref.WeakSet()


class ManyAnalyses(Iterator[T], Generic[T]):
    """The analyses of boards, in their order; made by `Engine.analyse_many`.

    Boards are read on demand, two for each engine ahead of the requested result. ``next`` raises
    the error of `Engine.analyse` for a board in its turn, and continues with the next board when
    called again. The engines end with the iteration, or when the iterator is closed, leaves its
    ``with`` statement or is dropped.
    """

    def __init__(
        self,
        boards: Iterable[chess.Board],
        analyse: Callable[[E, chess.Board], T],
        open_engine: Callable[[], E],
        jobs: int,
    ) -> None:
        self._boards = iter(boards)
        self._waiting: deque[Future[T]] = deque()
        self._most = AHEAD * jobs
        self._engines: list[Closable] = []
        free: queue.SimpleQueue[E] = queue.SimpleQueue()
        try:
            for _ in range(jobs):
                engine = open_engine()
                self._engines.append(engine)
                free.put(engine)
        except BaseException:
            self._close_engines()
            raise
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="analyse_many")
        self._analyse = lambda board: _with_one_of(free, analyse, board)
        _open.add(self)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        try:
            while len(self._waiting) < self._most:
                board = next(self._boards).copy()  # the caller may change its own
                self._waiting.append(self._threads.submit(self._analyse, board))
        except StopIteration:
            self._most = 0
        if not self._waiting:
            self.close()
            raise StopIteration
        try:
            return self._waiting.popleft().result()
        except KeyboardInterrupt:
            self.close()
            raise

    def close(self) -> None:
        """Stop all searches and end the engines; there are no more results."""
        self._most = 0
        self._waiting.clear()
        self._close_engines()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_threads"):
            self.close()

    def _close_engines(self) -> None:
        engines, self._engines = self._engines, []
        for engine in engines:
            with suppress(EngineTerminatedError):
                engine.close()


def _with_one_of(
    free: "queue.SimpleQueue[E]", analyse: Callable[[E, chess.Board], T], board: chess.Board
) -> T:
    engine = free.get()
    try:
        return analyse(engine, board)
    finally:
        free.put(engine)


def _close_all() -> None:
    for each in list(_open):
        each.close()


# Runs before the interpreter waits for the threads of executors; `atexit` runs after that.
threading._register_atexit(_close_all)  # type: ignore[attr-defined]
