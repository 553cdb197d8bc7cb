"""Output: whole lines, flushed at once, from any thread."""

import io
import os
import select
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol


def exit_process(status: int = 0) -> None:
    """End the process at once."""
    os._exit(status)


class OutputStream(Protocol):
    """What a `Writer` writes to: a binary stream, or an object that takes its lines."""

    def write(self, data: bytes, /) -> Any:
        """Take whole lines."""

    def flush(self) -> Any:
        """Pass on what `write` has taken."""


class Writer:
    """Writes lines to a binary stream, with a line feed on every system.

    When the reader has closed the pipe, the next write or `check` calls ``on_broken``, which by
    default ends the process quietly; after another error, such as a full disk, there is a line
    about it and ``on_broken(1)``. ``tap`` gets all output, and may return lines to add to it; set
    it before a second thread writes. A lock keeps the lines of one call together, and the tap in
    the same order.
    """

    def __init__(self, stream: OutputStream, on_broken: Callable[..., None] = exit_process) -> None:
        self.tap: Callable[[bytes], bytes] = lambda data: b""
        self._stream = stream
        self._on_broken = on_broken
        self._lock = threading.Lock()

    def lines(self, *texts: str) -> None:
        """Write lines without other lines in between."""
        data = "".join(text + "\n" for text in texts).encode(errors="replace")
        try:
            with self._lock:
                self._stream.write(data + self.tap(data))
                self._stream.flush()
        except (BrokenPipeError, ValueError):
            self._on_broken()
        except OSError as error:
            print(f"pythagoras: the output: {error.strerror}", file=sys.stderr)
            self._on_broken(1)

    def fileno(self) -> int:
        """Return the stream's file descriptor; `OSError` if it has none."""
        if isinstance(self._stream, io.IOBase):
            return self._stream.fileno()
        raise OSError("no file descriptor")

    def check(self) -> None:
        """Call ``on_broken`` if the reader has closed the pipe, where the system can tell."""
        if not hasattr(select, "poll"):  # Windows
            return
        poll = select.poll()
        try:
            poll.register(self.fileno(), 0)
        except (OSError, ValueError):
            return
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
            self._on_broken()
