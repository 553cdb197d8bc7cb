"""Writes whole lines from any thread, and flushes each at once."""

import io
import os
import select
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn, Protocol


def exit_process(status: int = 0) -> NoReturn:
    """End the process at once."""
    os._exit(status)


class OutputStream(Protocol):
    """The target of a `Writer`: a binary stream, or an object that receives its lines."""

    def write(self, data: bytes, /) -> Any:
        """Write whole lines."""

    def flush(self) -> Any:
        """Flush what `write` has buffered."""


class Writer:
    """Writes lines to a binary stream, with a line feed on every system.

    If the reader has closed the pipe, the next write or `check` calls ``on_broken``, which by
    default ends the process quietly. After another error, such as a full disk, it prints the error
    and calls ``on_broken(1)``. ``tap`` receives all output and may return lines to add; set it
    before a second thread writes. A lock keeps the lines of one call together, and the tap in the
    same order.
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
            print(f"pythagoras: standard output: {error.strerror}", file=sys.stderr)
            self._on_broken(1)

    def fileno(self) -> int:
        """Return the stream's file descriptor; `OSError` if it has none."""
        if isinstance(self._stream, io.IOBase):
            return self._stream.fileno()
        raise OSError("no file descriptor")

    def check(self) -> None:
        """Call ``on_broken`` if the reader has closed the pipe; does nothing on Windows."""
        if not hasattr(select, "poll"):  # Windows
            return
        poll = select.poll()
        try:
            poll.register(self.fileno(), 0)
        except (OSError, ValueError):
            return
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0)):
            self._on_broken()
