"""Output: whole lines, flushed at once, from any thread."""

import os
import select
import threading
from collections.abc import Callable
from typing import BinaryIO


def exit_process(status: int = 0) -> None:
    """End the process at once."""
    os._exit(status)


class Writer:
    """Lines to a binary stream, ended by a line feed on every system.

    When nobody reads them any more (a closed pipe), ``on_broken`` is called, by what is
    written next or by `check`; by default it ends the process quietly. ``tap`` gets all
    that is written; it is set before a second thread writes. A lock keeps the lines of one
    call together, and the tap in their order.
    """

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None] = exit_process) -> None:
        self.tap: Callable[[bytes], None] = lambda data: None
        self._stream = stream
        self._on_broken = on_broken
        self._lock = threading.Lock()

    def lines(self, *texts: str) -> None:
        """Write lines that stay together."""
        data = "".join(text + "\n" for text in texts).encode(errors="replace")
        try:
            with self._lock:
                self.tap(data)
                self._stream.write(data)
                self._stream.flush()
        except (OSError, ValueError):
            self._on_broken()

    def fileno(self) -> int:
        """Return the descriptor written to; `OSError` where there is none."""
        return self._stream.fileno()

    def check(self) -> None:
        """Call ``on_broken`` if nobody can read the output any more, where the system tells."""
        if not hasattr(select, "poll"):  # Windows
            return
        poll = select.poll()
        try:
            poll.register(self.fileno(), 0)
        except (OSError, ValueError):
            return
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
            self._on_broken()
