"""Engines that work for a command, here or elsewhere, behind one interface of `Executor`."""

import queue
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from typing import ParamSpec, TypeVar

AHEAD = 3
"""Tasks for each engine that are under way: none is ever without work, and none piles it up."""

ALLOWED_FAILURES = 3
"""Engines that a task may end; with the next one it is given up. Dask's default, too."""

HEAR_EVERY = 0.2
"""Seconds after which a wait hears Ctrl-C: on Windows, an endless one does not."""

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")


class TaskLost(Exception):
    """A task ended every engine that took it; says so in words."""


class Workforce(Executor):
    """An executor whose engines come and go. At its end it stops what runs."""

    @property
    def size(self) -> int:
        """The number of engines that take work now."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """Who works, and how fast; nothing where that goes without saying."""
        return ""

    @property
    def summary(self) -> list[str]:
        """What each machine did, a line for each; none where there is only this one."""
        return []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have ``fn``, of a module, called for one of the engines.

        The future raises `TaskLost` where that ended too many of them.
        """
        raise NotImplementedError

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Drop what waits, stop what runs, and end."""
        raise NotImplementedError


def by(workforce: Workforce | None) -> str:
    """Return who works as the end of a line; nothing where that goes without saying."""
    words = workforce.words if workforce else ""
    return f"; {words}" if words else ""


def as_done(
    workforce: Workforce, calls: Iterable[tuple[K, Callable[[], Future[T]]]]
) -> Iterator[tuple[K, Future[T]]]:
    """Make the calls, a few ahead of what is done, and yield each key with its future when it is.

    A call submits a task and returns its future.
    """
    done: queue.SimpleQueue[tuple[K, Future[T]]] = queue.SimpleQueue()
    running = 0
    for key, call in calls:
        running += 1
        call().add_done_callback(lambda future, key=key: done.put((key, future)))  # type: ignore[misc]
        while running >= AHEAD * max(workforce.size, 1):
            yield _next(done)
            running -= 1
    for _ in range(running):
        yield _next(done)


def wait_for(future: Future[T]) -> Future[T]:
    """Return a future when it is done."""
    while not wait([future], HEAR_EVERY).done:
        pass
    return future


def _next(done: "queue.SimpleQueue[T]") -> T:
    while True:
        try:
            return done.get(timeout=HEAR_EVERY)
        except queue.Empty:
            continue
