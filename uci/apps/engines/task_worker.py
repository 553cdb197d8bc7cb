"""A worker: what a thread, or a process of a cluster, keeps from task to task, and how it stops.

It keeps one engine, made when a task first needs it.
"""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, ParamSpec, Protocol, TypeVar, cast

from uci.apps.engines.client import EngineGone, TaskStopped
from uci.apps.engines.executor import ALLOWED_FAILURES, TaskLost


class Stoppable(Protocol):
    """An engine, or several."""

    def stop(self) -> None:
        """End what runs, and all that would follow; from any thread, and again."""

    def close(self) -> None:
        """Free what it holds."""


P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Stoppable)


@dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """A task's result, and the nodes and seconds it took."""

    result: T
    nodes: int
    seconds: float


class TaskWorker:
    """Runs one task at a time. Any thread may stop it; a lock protects what is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[object, Stoppable] | None = None
        self._command, self._nodes = "", 0
        self._stopped: deque[str] = deque(maxlen=1000)

    def perform(self, command: str, task: Callable[..., T], *arguments: object) -> Performed[T]:
        """Run a task of a command, by the command's name; again when an engine ends.

        Raises `TaskStopped`, and `TaskLost` where too many engines end.
        """
        started = perf_counter()
        _here.worker = self
        self._command = command
        try:
            for _ in range(ALLOWED_FAILURES + 1):
                self._check()
                self._nodes = 0
                with suppress(EngineGone):
                    result = task(*arguments)
                    self._check()
                    return Performed(result, self._nodes, perf_counter() - started)
            self._check()
            raise TaskLost(f"it has ended {ALLOWED_FAILURES + 1} engines")
        finally:
            self._command = ""
            if command in self._stopped:
                self.close()

    def stop(self, command: str) -> None:
        """Stop the task of a command, and those that are still to come; return at once."""
        self._stopped.append(command)
        with self._lock:
            if self._kept is not None and self._command == command:
                self._kept[1].stop()

    def close(self) -> None:
        """Close what is kept."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            kept[1].close()

    def keep(self, make: Callable[P, E], *settings: P.args, **others: P.kwargs) -> E:
        """See `keep`."""
        key = make, settings, others
        if self._kept is None or self._kept[0] != key:
            self.close()
            made = make(*settings, **others)
            with self._lock:
                self._kept = key, made
            self._check()  # it may have been stopped before there was anything to stop
        return cast(E, self._kept[1])

    def count(self, nodes: int) -> None:
        """See `count`."""
        self._nodes += nodes

    def _check(self) -> None:
        if self._command in self._stopped:
            raise TaskStopped


class _Here(threading.local):
    """The worker of this thread."""

    def __init__(self) -> None:
        self.worker = TaskWorker()


_here = _Here()


def this_worker() -> TaskWorker:
    """Return the worker of this thread."""
    return _here.worker


def keep(make: Callable[P, E], *settings: P.args, **others: P.kwargs) -> E:
    """Return ``make(*settings)``, made again only where that differs from the last time.

    For a task. Raises `TaskStopped`.
    """
    return _here.worker.keep(make, *settings, **others)


def count(nodes: int) -> None:
    """Add to the nodes of the task that runs."""
    _here.worker.count(nodes)
