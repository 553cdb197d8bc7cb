"""Threads beside the input loop that run one after the other: searches and tasks."""

import threading
from collections.abc import Iterator

from uci.protocol.writer import Writer
from uci.session.backend import Backend
from uci.session.halt import Halt
from uci.session.loader import Loader


class Worker:
    """A thread that waits for its turn and for the kernels, works, and can be stopped any time.

    The input's thread calls all but `work`. Events protect what both wait for; `_before` is set
    before the thread starts and forgotten by it alone, and `completed` is read once it has ended.
    """

    completed = False
    """Whether it has finished its work without being stopped."""

    preemptible = False
    """Whether a search that is started behind it stops it."""

    def __init__(self, loader: Loader, writer: Writer) -> None:
        self.loader = loader
        self.writer = writer
        self.halted = Halt()
        self._wake = threading.Event()
        self._before: Worker | None = None
        # Not Thread.join: a Ctrl-C in there makes Python take the thread for dead.
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        loader.when_done(self._wake.set)

    @property
    def bounded(self) -> bool:
        """Whether it ends without being stopped."""
        return True

    def work(self) -> None:
        """Run in the thread of this worker, when its turn has come."""
        raise NotImplementedError

    def start(self, before: "Worker | None") -> None:
        """Start the thread, which works once ``before`` has ended; a search there is stopped."""
        self._before = before
        if before is not None:
            before.superseded()
        self._thread.start()

    def superseded(self) -> None:
        """Be told that another worker was queued behind this one."""

    def halt(self) -> None:
        """Stop this worker alone: within milliseconds, or as soon as its turn comes."""
        self.halted.set()
        self._wake.set()

    def ponderhit(self) -> None:
        """Be told that the move pondered on was played."""

    def stop(self) -> None:
        """Stop this worker and all that it waits for."""
        for worker in self.queue():
            worker.halt()

    def queue(self) -> "Iterator[Worker]":
        """Yield this worker, then those that it waits for, the latest first."""
        worker: Worker | None = self
        while worker is not None:
            before = worker._before  # None as soon as it has ended
            yield worker
            worker = before

    def busy(self) -> bool:
        """Return whether it works or waits for its turn."""
        return not self._ended.is_set()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has ended, at most ``seconds``."""
        self._ended.wait(seconds)

    def wait_for_backend(self, seconds: float | None = None) -> Backend | None:
        """Wait until the backend is loaded or has failed, or the work was stopped; return it."""
        self._wake.wait(seconds)
        return self.loader.backend

    def _run(self) -> None:
        if self._before is not None:
            self._before.join()
            self._before = None
        try:
            self.work()
        finally:
            self._ended.set()
