"""A pool of threads, each with an engine in a process of its own."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from uci.apps.engines.executor import P, T, TaskExecutor, wait_for
from uci.apps.engines.task_worker import TaskWorker, this_worker
from uci.errors import UciError

_NAME = "this command"
"""The name of the workers' only command."""


class ThreadPool(TaskExecutor):
    """A fixed number of threads, each with one task at a time."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._workers: list[TaskWorker] = []
        self._running: set[Future[Any]] = set()
        self._threads = ThreadPoolExecutor(
            jobs, initializer=lambda: self._workers.append(this_worker())
        )

    @property
    def size(self) -> int:
        """See `TaskExecutor`."""
        return self._jobs

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `TaskExecutor`; raises `UciError` if the system cannot start a thread."""
        assert not kwargs
        try:
            future = self._threads.submit(_perform, fn, *args)
        except RuntimeError as error:
            raise UciError(f"could not start a task: {error}") from None
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """See `TaskExecutor`."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.stop(_NAME)
        for future in self._running.copy():
            wait_for(future)
        for worker in self._workers:
            worker.close()
        self._threads.shutdown()


def _perform(task: Callable[..., T], *arguments: object) -> T:
    return this_worker().perform(_NAME, task, *arguments).result
