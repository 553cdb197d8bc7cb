"""Worker threads, which run one after the other: searches and tasks."""

import threading
from collections.abc import Callable, Iterator

from uci.protocol.messages import format_bestmove
from uci.protocol.writer import Writer
from uci.session.backend import Backend
from uci.session.loader import Loader

NO_MOVE = format_bestmove(())


class StopEvent(threading.Event):
    """An event with callbacks that stop work; usable from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def add_callback(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when the event is set; at once if it already is."""
        with self._lock:
            if not self.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def set(self) -> None:
        """Set the event, and call the callbacks once."""
        with self._lock:
            super().set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


class Worker:
    """A thread that waits for its turn and for the kernels, works, and can be stopped at any time.

    The input thread calls all methods except `work`. `_before` is set before the thread starts, and
    only the thread resets it. `completed` is read after its end; `answered` is only set. All other
    shared fields are events.
    """

    completed = False
    """Whether the work finished without being stopped."""

    answered = False
    """Whether the last line was written or is being written: the thread is about to end."""

    answers_go = False
    """Whether the work ends with a ``bestmove``."""

    preemptible = False
    """Whether a search that is queued behind the work stops it."""

    def __init__(self, loader: Loader, writer: Writer) -> None:
        self.loader = loader
        self.writer = writer
        self.halted = StopEvent()
        self._wake = threading.Event()
        self._before: Worker | None = None
        # Not Thread.join: if Ctrl-C interrupts that, Python considers the thread ended.
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self.run, name=type(self).__name__, daemon=True)
        loader.when_done(self._wake.set)

    @property
    def bounded(self) -> bool:
        """Whether the work ends without a stop."""
        return True

    def work(self) -> None:
        """Do the work, in this worker's thread, when its turn has come."""
        raise NotImplementedError

    def start(self, before: "Worker | None") -> None:
        """Start the thread; it works after ``before`` has ended. A search there is stopped."""
        self._before = before
        if before is not None:
            before.superseded()
        self._thread.start()

    def superseded(self) -> None:
        """React to another worker being queued behind this one."""

    def halt(self) -> None:
        """Stop this worker alone: within milliseconds, or as soon as its turn comes."""
        self.halted.set()
        self._wake.set()

    def ponderhit(self) -> None:
        """React to ``ponderhit``: the expected move was played."""

    def stop(self) -> None:
        """Stop this worker and all before it in the queue."""
        for worker in self.queue():
            worker.halt()

    def queue(self) -> "Iterator[Worker]":
        """Yield this worker, then the ones that it waits for, the latest first."""
        worker: Worker | None = self
        while worker is not None:
            before = worker._before  # None as soon as it has ended
            yield worker
            worker = before

    def busy(self) -> bool:
        """Return whether the worker works or waits for its turn."""
        return not self._ended.is_set()

    def ends_soon(self) -> bool:
        """Return whether the worker was stopped or has answered, so that it ends within
        milliseconds."""
        return self.answered or self.halted.is_set()

    def join(self, seconds: float | None = None) -> None:
        """Wait until the worker has ended, at most ``seconds``."""
        self._ended.wait(seconds)

    def wait_for_backend(self, seconds: float | None = None) -> Backend | None:
        """Wait for the backend, and return it; ``None`` if it failed or the work was stopped."""
        self._wake.wait(seconds)
        return self.loader.backend

    def run(self) -> None:
        """Wait for the turn and work, in this thread. Only called if no thread can be started."""
        if self._before is not None:
            self._before.join()
            self._before = None
        try:
            self.work()
        finally:
            self._ended.set()


class NoMove(Worker):
    """The worker of a ``go`` that cannot be executed: answers ``bestmove (none)`` when it is due.

    It is due at ``stop``, at the next search or, unless ``infinite``, at ``ponderhit``.
    """

    answers_go = True

    def __init__(self, loader: Loader, writer: Writer, infinite: bool) -> None:
        super().__init__(loader, writer)
        self._infinite = infinite

    @property
    def bounded(self) -> bool:
        """Whether the worker ends without a stop: never."""
        return False

    def work(self) -> None:
        """Wait, then answer."""
        self.halted.wait()
        self.answered = True
        self.writer.lines(NO_MOVE)

    def superseded(self) -> None:
        """Answer: the client has sent a new command."""
        self.halt()

    def ponderhit(self) -> None:
        """Answer, unless the client also asked for an infinite search."""
        if not self._infinite:
            self.halt()
