"""What a process keeps from task to task: one engine, made when a task first needs it.

A lock protects what is kept; one task runs at a time, and may be stopped from any thread.
"""

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, ParamSpec, Protocol, TypeVar, cast

STOP_AGAIN = 0.05
"""Seconds until what was stopped is stopped again: its next search may have begun just then."""


class Stoppable(Protocol):
    """An engine, or several."""

    def stop(self) -> None:
        """End what runs, and all that would follow; from any thread, and again."""

    def close(self) -> None:
        """Free what it holds."""


class TaskStopped(Exception):
    """The task was broken off, and has no result."""


P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Stoppable)


@dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """A task's result, the nodes and seconds it took, and the worker, by its address."""

    result: T
    nodes: int
    seconds: float
    worker: str


_lock = threading.Lock()
_kept: tuple[object, Stoppable] | None = None
_command, _nodes = "", 0
_stopped: deque[str] = deque(maxlen=1000)


def keep(make: Callable[P, E], *settings: P.args, **others: P.kwargs) -> E:
    """Return ``make(*settings)``, made anew only when that differs from the last time."""
    global _kept
    key = make, settings, others
    if _kept is None or _kept[0] != key:
        _drop()
        made = make(*settings, **others)
        with _lock:
            _kept = key, made
    return cast(E, _kept[1])


def count(nodes: int) -> None:
    """Add to the nodes of the task that runs."""
    global _nodes
    _nodes += nodes


def perform(command: str, worker: str, task: Callable[..., T], *arguments: object) -> Performed[T]:
    """Run a task of a command, by the command's name. Raises `TaskStopped`."""
    global _command, _nodes
    started = perf_counter()
    _command, _nodes = command, 0
    try:
        if command in _stopped:
            raise TaskStopped
        result = task(*arguments)
        if command in _stopped:
            raise TaskStopped
        return Performed(result, _nodes, perf_counter() - started, worker)
    finally:
        _command = ""
        if command in _stopped:
            _drop()


def stop(command: str) -> None:
    """Stop the task of a command, and those that are still to come; return at once."""
    _stopped.append(command)
    if _command == command:
        threading.Thread(target=_stop_until_done, args=(command,), daemon=True).start()


def end_process() -> None:
    """Stop the engine, and end the process."""
    with contextlib.suppress(Exception), _lock:
        if _kept is not None:
            _kept[1].stop()
            _kept[1].close()
    os._exit(0)


def _stop_until_done(command: str) -> None:
    moment = threading.Event()
    while _command == command:
        with _lock:
            kept = _kept
        if kept is not None:
            kept[1].stop()
        moment.wait(STOP_AGAIN)


def _drop() -> None:
    global _kept
    with _lock:
        kept, _kept = _kept, None
    if kept is not None:
        kept[1].close()
