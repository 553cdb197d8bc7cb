"""Workers of a Dask cluster: those with the same engine get tasks, the others are reported.

Three threads use it: Dask's, in which futures end; one that analyses for new workers; and the
caller's. A lock protects the counts. Dask's scheduler assigns each task to a worker with the
required resources: a free engine, and our fingerprint (see `uci.apps.engines.preload`).
"""

import contextlib
import logging
import threading
import uuid
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from time import monotonic
from typing import Any

import dask
from dask.base import annotate
from distributed import Client, KilledWorker, Security, get_worker

from uci.apps.engines import dask_cleanup
from uci.apps.engines.client import TaskStopped
from uci.apps.engines.compatibility import ENGINE, differences, facts, fingerprint
from uci.apps.engines.executor import P, T, TaskExecutor, TaskLost
from uci.apps.engines.preload import has_engine
from uci.apps.engines.scheduler import Scheduler
from uci.apps.engines.task_worker import Performed, TaskWorker
from uci.errors import UciError, counted

CONNECT_WITHIN = 10.0
WORKERS_WITHIN = 60.0
"""Seconds to wait for a first worker."""

OTHERS_WITHIN = 10.0
"""Seconds to wait for a suitable worker if others are connected."""

LOOK_EVERY = 2.0
"""Seconds between two checks for new workers."""

STOP_WITHIN = 3.0
"""Seconds to wait for the cluster to receive a stop request."""

LOGGERS = (
    *("distributed", "distributed.client", "distributed.core"),
    *("tornado", "tornado.application", "asyncio"),
)
"""Loggers to silence: those for which Dask sets a level, and asyncio's."""

_this = TaskWorker()
"""Our worker in the process of a Dask worker, which runs one task at a time."""

PRELOAD = "it was started without --preload uci.apps.engines.preload"


@dataclass(slots=True)
class _Share:
    """The tasks, nodes and seconds of one worker."""

    tasks: int = 0
    nodes: int = 0
    seconds: float = 0.0


class DaskWorkers(TaskExecutor):
    """The workers of a scheduler. ``say`` gets a message, from any thread, for workers without
    tasks."""

    def __init__(self, scheduler: Scheduler, say: Callable[[str], None]) -> None:
        """Connect, and wait for a first worker. Raises `UciError`."""
        self._scheduler, self._say = scheduler, say
        self._name = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._fit: set[str] = set()
        self._unfit: dict[str, str] = {}
        self._shares: dict[str, _Share] = defaultdict(_Share)
        self._ending = threading.Event()
        self._client = _connect(scheduler)
        try:
            self._allowed = _allowed_failures(self._client)
            self._wait_for_workers()
        except BaseException:
            self._client.close(timeout=STOP_WITHIN)
            raise
        self._executor = self._client.get_executor(
            pure=False, resources={ENGINE: 1, fingerprint(): 1}
        )
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def size(self) -> int:
        """See `TaskExecutor`."""
        return len(self._fit)

    @property
    def words(self) -> str:
        """See `TaskExecutor`."""
        with self._lock:
            speed = _speed(self._shares.values())
        return f"{counted(len(self._fit), 'worker')}{speed}"

    @property
    def summary(self) -> list[str]:
        """See `TaskExecutor`."""
        hosts: dict[str, list[_Share]] = defaultdict(list)
        with self._lock:
            for address, share in sorted(self._shares.items()):
                hosts[address.partition("://")[2].rpartition(":")[0]].append(share)
        return [
            f"{host}: {counted(len(shares), 'worker')}{_speed(shares)},"
            f" {counted(sum(share.tasks for share in shares), 'task')}"
            for host, shares in hosts.items()
        ]

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `TaskExecutor`; raises `UciError` if the scheduler is gone, as the future does."""
        assert not kwargs
        if self._client.status != "running":
            raise self._gone()
        result: Future[T] = Future()
        with annotate(span={"name": dask_cleanup.SPAN, "ids": (self._name,)}):
            done = self._executor.submit(_perform, self._name, fn, *args)
        done.add_done_callback(lambda done: self._finish(done, result))
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """See `TaskExecutor`."""
        if self._ending.is_set():
            return
        self._ending.set()
        stopper = threading.Thread(target=self._stop, daemon=True)
        stopper.start()
        stopper.join(STOP_WITHIN)
        with contextlib.suppress(Exception):
            self._client.close(timeout=STOP_WITHIN)

    def _stop(self) -> None:
        """Drop our waiting tasks, and stop the running ones."""
        with contextlib.suppress(Exception):
            if self._client.status == "running":
                self._executor.shutdown(wait=False)
                workers = [*self._fit]
                self._client.run(_stop, self._name, workers=workers, on_error="ignore")

    def _finish(self, done: Future[tuple[str, Performed[T]]], result: Future[T]) -> None:
        """Convert the end of a Dask task to that of ``result``."""
        error = CancelledError() if done.cancelled() else done.exception()
        if error is None:
            address, performed = done.result()
            with self._lock:
                share = self._shares[address]
                share.tasks += 1
                share.nodes += performed.nodes
                share.seconds += performed.seconds
            result.set_result(performed.result)
        elif isinstance(error, KilledWorker):
            result.set_exception(TaskLost(f"it crashed {self._allowed + 1} workers"))
        elif self._ending.is_set() or isinstance(error, TaskStopped):
            result.cancel()
        elif isinstance(error, CancelledError):
            result.set_exception(self._gone())
        else:
            result.set_exception(error)

    def _gone(self) -> UciError:
        return UciError(f"lost the connection to {self._scheduler.address}; finished work is saved")

    def _wait_for_workers(self) -> None:
        begun = monotonic()
        while True:
            self._look()
            if self._fit:
                return
            if monotonic() - begun > (OTHERS_WITHIN if self._unfit else WORKERS_WITHIN):
                what = "worker with this engine" if self._unfit else "worker"
                raise UciError(f"{self._scheduler.address} has no {what}")
            self._ending.wait(LOOK_EVERY)

    def _watch(self) -> None:
        while not self._ending.wait(LOOK_EVERY):
            with contextlib.suppress(Exception):  # the scheduler is gone: the futures report it
                if self._client.status == "running":
                    self._look()
                    self._client.run_on_scheduler(dask_cleanup.forget)

    def _look(self) -> None:
        """Compare the engines of new workers with ours; check unsuitable ones again, as they may
        change."""
        here = set(self._client.nthreads())
        left = self._fit & here
        if self._fit and not left:
            self._say("pythagoras: no workers left; waiting for new ones")
        self._fit = left
        new = here - self._fit
        self._unfit = {each: why for each, why in self._unfit.items() if each in new}
        if not new:
            return
        answers = self._client.run(has_engine, workers=[*new], on_error="return")
        for address, answer in sorted(answers.items()):
            if isinstance(answer, OSError):
                continue  # not connected yet, or gone
            reason = _unfit(answer)
            if not reason:
                self._fit = self._fit | {address}
                self._unfit.pop(address, None)
            elif self._unfit.get(address) != reason:
                self._unfit[address] = reason
                self._say(f"pythagoras: worker {address} gets no tasks: {reason}")


def _perform(command: str, task: Callable[..., T], *arguments: object) -> tuple[str, Performed[T]]:
    """Run a task in a worker; return the worker's address and the result."""
    return get_worker().address, _this.perform(command, task, *arguments)


def _stop(command: str) -> None:
    """Stop the tasks of a command in a worker."""
    _this.stop(command)


def _unfit(answer: Any) -> str:
    """Return why a worker gets no tasks; empty if it does."""
    if isinstance(answer, BaseException):
        return f"its engine cannot be compared ({type(answer).__name__}: {answer})"
    theirs, resources = answer
    if different := differences(facts(), theirs):
        return different
    return "" if fingerprint() in resources else PRELOAD


def _connect(scheduler: Scheduler) -> "Client":
    """Return a client. Raises `UciError`."""
    for logger in LOGGERS:
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)  # we report what matters
    security = None
    if scheduler.ca:
        security = Security(
            tls_ca_file=scheduler.ca, tls_client_cert=scheduler.cert,
            tls_client_key=scheduler.key, require_encryption=True,
        )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions, which we compare ourselves
        try:
            return Client(
                scheduler.address, security=security, timeout=CONNECT_WITHIN, name="pythagoras",
                set_as_default=False,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            cause: BaseException = error
            while cause.__cause__ is not None:
                cause = cause.__cause__
            raise UciError(f"could not connect to {scheduler.address}: {cause}") from None


def _allowed_failures(client: "Client") -> int:
    """Return how many workers a task may crash. Raises `UciError` if the scheduler cannot tell."""
    try:
        return int(client.run_on_scheduler(_read_allowed_failures))
    except Exception as error:  # noqa: BLE001  (any exception of the scheduler)
        raise UciError(
            f"the scheduler needs pythagoras installed, like the workers: {error}"
        ) from None


def _read_allowed_failures() -> int:
    return int(dask.config.get("distributed.scheduler.allowed-failures"))


def _speed(shares: Iterable[_Share]) -> str:
    """Return the workers' speed while they worked, as text."""
    each = [share.nodes / share.seconds for share in shares if share.seconds]
    return f" at {sum(each) / len(each):,.0f} nodes a second" if each and sum(each) else ""
