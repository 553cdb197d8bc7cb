"""Input: the lines of the client, read while somebody reads the output."""

import io
import os
import select
import signal
from collections.abc import Iterator
from typing import BinaryIO

from uci.protocol.commands import MAX_LINE
from uci.protocol.writer import Writer


class PolledInput(io.RawIOBase):
    """A stream that, while it waits for more, notices that nobody reads the output any more.

    The writer is told then. It is also woken by every signal, those too that come just before the
    wait or to another thread. Only where the system can wait for all that: not on Windows.
    """

    def __init__(self, stream: BinaryIO, writer: Writer) -> None:
        self._descriptor, self._writer = stream.fileno(), writer
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._poll.register(writer.fileno(), 0)  # errors alone
        self._signals, wake = os.pipe()
        self._poll.register(self._signals, select.POLLIN)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def readable(self) -> bool:
        """Return whether it can be read: always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Wait for input; what has come is read, even if nobody reads the answers."""
        while self._descriptor not in (ready := dict(self._poll.poll())):
            if ready.pop(self._signals, None):
                os.read(self._signals, 512)  # their handlers have run, or do before the next wait
            for descriptor in ready:
                self._poll.unregister(descriptor)  # it may be nothing that can be waited for
                self._writer.check()
        data = os.read(self._descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def polled_input(stream: BinaryIO, writer: Writer) -> BinaryIO:
    """Return ``stream``, as a `PolledInput` where there can be one."""
    return io.BufferedReader(PolledInput(stream, writer)) if hasattr(select, "poll") else stream


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of ``stream``, only the beginning of one that is far too long."""
    while raw := stream.readline(MAX_LINE + 3):
        tail = raw
        while len(tail) > MAX_LINE and not tail.endswith(b"\n"):
            tail = stream.readline(MAX_LINE + 3)
        yield raw
