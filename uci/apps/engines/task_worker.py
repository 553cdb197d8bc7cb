"""A worker, in a thread or a cluster's process: runs tasks, reuses its engine, and can be stopped.

It keeps one engine, which is created when a task first needs it.
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
    """An engine, or several, as a worker uses them."""

    def stop(self) -> None:
        """Stop running and later work; callable from any thread, repeatedly."""

    def close(self) -> None:
        """Release all resources."""


P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Stoppable)


@dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """A task's result, with the nodes and seconds it took."""

    result: T
    nodes: int
    seconds: float


class TaskWorker:
    """Runs one task at a time. Any thread may stop it; a lock protects the kept engine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[object, Stoppable] | None = None
        self._command, self._nodes = "", 0
        self._stopped: deque[str] = deque(maxlen=1000)

    def perform(self, command: str, task: Callable[..., T], *arguments: object) -> Performed[T]:
        """Run a task of the command with this name; retry it if an engine ends.

        Raises `TaskStopped`, and `TaskLost` if too many engines end.
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
            raise TaskLost(f"it crashed {ALLOWED_FAILURES + 1} engines")
        finally:
            self._command = ""
            if command in self._stopped:
                self.close()

    def stop(self, command: str) -> None:
        """Stop a command's running and later tasks; return at once."""
        self._stopped.append(command)
        with self._lock:
            if self._kept is not None and self._command == command:
                self._kept[1].stop()

    def close(self) -> None:
        """Close the kept engine."""
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
            self._check()  # `stop` may have come before the engine was created
        return cast(E, self._kept[1])

    def count(self, nodes: int) -> None:
        """See `count`."""
        self._nodes += nodes

    def _check(self) -> None:
        if self._command in self._stopped:
            raise TaskStopped


class _Here(threading.local):
    """The worker of each thread."""

    def __init__(self) -> None:
        self.worker = TaskWorker()


_here = _Here()


def this_worker() -> TaskWorker:
    """Return the worker of this thread."""
    return _here.worker


def keep(make: Callable[P, E], *settings: P.args, **others: P.kwargs) -> E:
    """Return ``make(*settings)``, reused as long as function and settings stay the same.

    For use inside a task. Raises `TaskStopped`.
    """
    return _here.worker.keep(make, *settings, **others)


def count(nodes: int) -> None:
    """Add to the node count of the running task."""
    _here.worker.count(nodes)
