"""What runs beside the input loop, one after the other: searches and errands."""

import threading
from collections.abc import Iterator

from uci.protocol.commands import format_message
from uci.protocol.writer import Writer
from uci.session.backend import Engine
from uci.session.halt import Halt
from uci.session.loader import Loader


class Worker:
    """A thread that waits for its turn and for the kernels, works, and can be stopped any time.

    The input's thread calls all but `work`. Events protect what both wait for; `_before` is set
    before the thread starts and forgotten by it alone, and `completed` is read once it has ended.
    """

    completed = False
    """Whether it has done what it was asked for."""

    yields = False
    """Whether a search that is asked for behind it ends it."""

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
        """Whether it comes to an end by itself."""
        return True

    def work(self) -> None:
        """Do it."""
        raise NotImplementedError

    def start(self, before: "Worker | None") -> None:
        """Begin once the worker ``before`` has ended; a search is stopped to that end."""
        self._before = before
        if before is not None:
            before.give_way()
        self._thread.start()

    def give_way(self) -> None:
        """Know that others wait."""

    def halt(self) -> None:
        """Ask for the end; it comes within milliseconds, once its turn has come."""
        self.halted.set()
        self._wake.set()

    def ponderhit(self) -> None:
        """Know that the expected move was played."""

    def stop(self) -> None:
        """Ask for the end of this, and of all that it waits for."""
        for worker in self.queue():
            worker.halt()

    def queue(self) -> "Iterator[Worker]":
        """Yield this, and all that it waits for."""
        worker: Worker | None = self
        while worker is not None:
            before = worker._before  # None as soon as it has ended
            yield worker
            worker = before

    def busy(self) -> bool:
        """Return whether it still works, or waits to."""
        return not self._ended.is_set()

    def join(self, seconds: float | None = None) -> None:
        """Wait for the end."""
        self._ended.wait(seconds)

    def wait_for_engine(self, seconds: float | None = None) -> Engine | None:
        """Wait until the engine is there, has failed, or the work was stopped."""
        self._wake.wait(seconds)
        return self.loader.engine

    def say(self, text: str) -> None:
        """Write an ``info string``."""
        self.writer.lines(format_message(text))

    def _run(self) -> None:
        if self._before is not None:
            self._before.join()
            self._before = None
        try:
            self.work()
        finally:
            self._ended.set()
