"""One `Executor` interface for the engines of a command, local or on a cluster."""

import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from functools import partial
from typing import ParamSpec, TypeVar

AHEAD = 3
"""Submitted tasks per engine: enough that no engine idles, few enough to keep queues short."""

ALLOWED_FAILURES = 3
"""Number of engine crashes after which a task is retried; at the next it fails. As in Dask."""

HEAR_EVERY = 0.2
"""Timeout of a wait in seconds: on Windows, Ctrl-C does not interrupt a wait without one."""

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")


class TaskLost(Exception):
    """Raised if a task crashed every engine that ran it; the message says so."""


class TaskExecutor(Executor):
    """An executor whose engines may come and go. Its shutdown stops running tasks."""

    @property
    def size(self) -> int:
        """The number of engines that currently take tasks."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The number of engines and their speed, as text; empty if there is only this machine."""
        return ""

    @property
    def summary(self) -> list[str]:
        """A line for each machine on what it did; none if there is only this one."""
        return []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``fn``, a function of a module, on one of the engines.

        The future raises `TaskLost` if that crashed too many of them.
        """
        raise NotImplementedError

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Drop waiting tasks, stop running ones, and end."""
        raise NotImplementedError


def by(executor: TaskExecutor | None) -> str:
    """Return the executor's ``words`` as the end of a line, or an empty text."""
    words = executor.words if executor else ""
    return f"; {words}" if words else ""


def as_done(
    executor: TaskExecutor, calls: Iterable[tuple[K, Callable[[], Future[T]]]]
) -> Iterator[tuple[K, Future[T]]]:
    """Make the calls, a few ahead, and yield each key with its future when that is done.

    A call submits a task and returns its future.
    """
    done: queue.SimpleQueue[tuple[K, Future[T]]] = queue.SimpleQueue()

    def put(key: K, future: Future[T]) -> None:
        done.put((key, future))

    running = 0
    for key, call in calls:
        running += 1
        call().add_done_callback(partial(put, key))
        while running >= AHEAD * max(executor.size, 1):
            yield _next(done)
            running -= 1
    for _ in range(running):
        yield _next(done)


def in_order(
    executor: TaskExecutor, calls: Iterable[tuple[K, Callable[[], Future[T]]]]
) -> Iterator[tuple[K, Future[T]]]:
    """Make the calls, a few ahead, and yield each key with its future in the order of the calls."""
    waiting: deque[tuple[K, Future[T]]] = deque()
    for key, call in calls:
        waiting.append((key, call()))
        while waiting and (waiting[0][1].done() or len(waiting) >= AHEAD * max(executor.size, 1)):
            yield waiting[0][0], wait_for(waiting.popleft()[1])
    for key, future in waiting:
        yield key, wait_for(future)


def wait_for(future: Future[T]) -> Future[T]:
    """Wait until a future is done; return it."""
    while not wait([future], HEAR_EVERY).done:
        pass
    return future


def _next(done: "queue.SimpleQueue[T]") -> T:
    while True:
        try:
            return done.get(timeout=HEAR_EVERY)
        except queue.Empty:
            continue
