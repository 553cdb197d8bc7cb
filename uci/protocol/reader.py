"""Reads the client's lines."""

import io
import os
import select
import signal
from collections.abc import Iterator
from typing import BinaryIO

from uci.protocol.commands import MAX_LINE
from uci.protocol.writer import Writer


class PolledInput(io.RawIOBase):
    """An input stream that notices a closed output while it waits, and notifies the writer.

    Every signal wakes it too, even one that arrives just before the wait or in another thread. It
    needs `select.poll`, which Windows does not have.
    """

    def __init__(self, stream: BinaryIO, writer: Writer) -> None:
        self._descriptor, self._writer = stream.fileno(), writer
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._poll.register(writer.fileno(), 0)  # errors only
        self._signals, wake = os.pipe()
        self._poll.register(self._signals, select.POLLIN)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Wait for input; pending input is read even if the output is closed.

        A read error counts as the end of the input.
        """
        while self._descriptor not in (ready := dict(self._poll.poll())):
            if ready.pop(self._signals, None):
                os.read(self._signals, 512)  # Python runs their handlers before the next wait
            for descriptor in ready:
                self._poll.unregister(descriptor)  # it may not support polling
                self._writer.check()
        try:
            data = os.read(self._descriptor, len(buffer))
        except OSError:  # write-only, as with nohup, or a closed terminal
            return 0
        buffer[: len(data)] = data
        return len(data)


def polled_input(stream: BinaryIO, writer: Writer) -> BinaryIO:
    """Return ``stream`` as a `PolledInput`, if the system supports it."""
    return io.BufferedReader(PolledInput(stream, writer)) if hasattr(select, "poll") else stream


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of ``stream``; lines far above the limit are truncated."""
    while raw := stream.readline(MAX_LINE + 3):
        tail = raw
        while len(tail) > MAX_LINE and not tail.endswith(b"\n"):
            tail = stream.readline(MAX_LINE + 3)
        yield raw
