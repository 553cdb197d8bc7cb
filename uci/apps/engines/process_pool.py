"""Processes of this machine. One that dies is replaced, and costs no more than its task."""

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from uci.apps.engines.executor import ALLOWED_FAILURES, P, T, TaskLost, Workforce
from uci.apps.engines.worker_engine import end_process

END_WITHIN = 10.0
"""Seconds for the processes to end in when their line is cut."""


@dataclass(slots=True)
class _PoolTask:
    call: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    deaths: int = 0


class _Seat:
    """One process: an executor of its own, so that it is known which task has ended it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, self._other_end = context.Pipe()
        self._executor = ProcessPoolExecutor(1, context, _begin, (self._other_end,))

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        future = self._executor.submit(call)
        self._other_end.close()  # from now on the process has it, and nobody else
        return future

    def pid(self) -> int | None:
        """Return the process, if it has begun."""
        try:
            return int(self.line.recv()) if self.line.poll() else None
        except (EOFError, OSError):
            return None

    def close(self, wait: bool) -> None:
        self.line.close()
        self._executor.shutdown(wait)


class ProcessPool(Workforce):
    """So many processes, each with one task at a time; a lock protects who does what."""

    def __init__(self, jobs: int) -> None:
        self._lock = threading.RLock()
        self._waiting: deque[_PoolTask] = deque()
        _start_tracker()
        self._seats = {_Seat() for _ in range(jobs)}
        self._idle = [*self._seats]
        self._ended = False

    @property
    def size(self) -> int:
        """See `Workforce`."""
        return len(self._seats)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `Workforce`."""
        task = _PoolTask(partial(fn, *args, **kwargs))
        with self._lock:
            if self._ended:
                raise RuntimeError("the pool has ended")
            self._waiting.append(task)
            self._hand_out()
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End the processes, whatever they do."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
            seats, waiting = self._seats, self._waiting
        for task in waiting:
            task.future.cancel()
        pids = {seat.pid() for seat in seats}
        for seat in seats:
            seat.close(wait=False)
        deadline = monotonic() + END_WITHIN
        for process in multiprocessing.active_children():
            if process.pid in pids:
                process.join(max(0.0, deadline - monotonic()))
                process.kill()
        for seat in seats:
            seat.close(wait)

    def _hand_out(self) -> None:
        """Give idle processes what waits, under the lock."""
        while self._idle and self._waiting and not self._ended:
            task = self._waiting.popleft()
            if not task.deaths and not task.future.set_running_or_notify_cancel():
                continue
            seat = self._idle.pop()
            try:
                future = seat.submit(task.call)
            except BrokenExecutor:  # it died without a task
                seat = self._replace(seat)
                future = seat.submit(task.call)
            future.add_done_callback(partial(self._finish, seat, task))

    def _finish(self, seat: _Seat, task: _PoolTask, done: Future[Any]) -> None:
        """Take the end of a task from its seat, in a thread of that."""
        error = done.exception()
        died = isinstance(error, BrokenExecutor)
        with self._lock:
            if self._ended:
                task.future.set_exception(CancelledError())
                return
            if died:
                task.deaths += 1
                seat = self._replace(seat)
                if task.deaths <= ALLOWED_FAILURES:
                    self._waiting.appendleft(task)
            self._idle.append(seat)
            self._hand_out()
        if died and task.deaths > ALLOWED_FAILURES:
            task.future.set_exception(TaskLost(f"it has ended {task.deaths} processes"))
        elif not died and error is not None:
            task.future.set_exception(error)
        elif not died:
            task.future.set_result(done.result())

    def _replace(self, seat: _Seat) -> _Seat:
        # Its executor has ended with its process. To shut it down here, in its own callback, would
        # wait forever from Python 3.13 on.
        seat.line.close()
        self._seats.remove(seat)
        new = _Seat()
        self._seats.add(new)
        return new


def _start_tracker() -> None:
    """Start the process that multiprocessing keeps, so that a closed terminal does not end it.

    It would be started again, and say so, while ours end.
    """
    if hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread():
        before = signal.getsignal(signal.SIGHUP)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            resource_tracker.ensure_running()
        finally:
            signal.signal(signal.SIGHUP, before)


def _begin(line: Connection) -> None:
    """Prepare a process of the pool: a Ctrl-C or a closed terminal is for the first one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    threading.Thread(target=_end_with_line, args=(line,), daemon=True).start()


def _end_with_line(line: Connection) -> None:
    """End the process when the other end of the line is closed, by will or by death."""
    try:
        line.send(multiprocessing.current_process().pid)
        line.recv()
    except (EOFError, OSError):
        end_process()
