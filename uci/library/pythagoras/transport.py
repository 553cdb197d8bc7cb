"""A UCI session in this process, with asyncio's interface of a subprocess."""

import asyncio
import os
import queue
import threading

from chess.engine import ConfigMapping

from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.session import Session


class Input(asyncio.WriteTransport):
    """The session's standard input: text written to it becomes lines for the session's thread."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._rest = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Pass on the lines that are complete."""
        *lines, self._rest = (self._rest + bytes(data)).split(b"\n")
        for line in lines:
            self.lines.put(line + b"\n")

    def close(self) -> None:
        """End the input."""
        self.lines.put(None)


class Output:
    """The session's standard output: passes what it writes to a protocol, in its event loop."""

    def __init__(self, protocol: asyncio.SubprocessProtocol) -> None:
        self.closed = False
        """Whether output is dropped from now on."""
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()

    def write(self, data: bytes) -> int:
        """Pass on whole lines, from any thread. Raises `ValueError` if the loop has ended."""
        if not self.closed:
            self.call(self._protocol.pipe_data_received, 1, data)
        return len(data)

    def call(self, function: object, *arguments: object) -> None:
        """Call ``function`` in the event loop. Raises `ValueError` if the loop has ended."""
        try:
            self._loop.call_soon_threadsafe(function, *arguments)  # type: ignore[arg-type]
        except RuntimeError as error:
            raise ValueError(str(error)) from None

    def flush(self) -> None:
        """Do nothing: output is passed on at once."""


class SessionTransport(asyncio.SubprocessTransport):
    """A session that a protocol such as `chess.engine.UciProtocol` uses like an engine process.

    Its commands are executed in a thread of its own, one after the other.
    """

    def __init__(self, protocol: asyncio.SubprocessProtocol, loader: Loader) -> None:
        """Start the session for the current event loop; ``loader`` must already be started."""
        super().__init__()
        self._protocol = protocol
        self._input = Input()
        self._output = Output(protocol)
        self._returncode: int | None = None
        writer = Writer(self._output, on_broken=lambda *_: None)
        self._session = Session(writer, loader, patient=True)
        thread = threading.Thread(target=self._run, name="pythagoras", daemon=True)
        protocol.connection_made(self)
        thread.start()

    def get_pid(self) -> int:
        """Return the id of this process."""
        return os.getpid()

    def get_returncode(self) -> int | None:
        """Return 0 after the session has ended, else None."""
        return self._returncode

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        """Return the session's input for ``fd`` 0, else None."""
        return self._input if fd == 0 else None

    def is_closing(self) -> bool:
        """Return whether the session has ended."""
        return self._returncode is not None

    def refused(self, options: ConfigMapping) -> list[str]:
        """Return the names of the options whose values could not be set."""
        holds = self._session.options.holds
        return [
            name
            for name, value in options.items()
            if value is not None
            and not holds(name, str(value).lower() if isinstance(value, bool) else str(value))
        ]

    def stop_search(self) -> None:
        """Stop the running search, from any thread."""
        self._input.write(b"stop\n")

    def quit(self) -> None:
        """Stop all work, write the pending answers and end, from any thread."""
        self._input.write(b"quit\n")

    def close(self) -> None:
        """End the session; remaining work stops without output."""
        self._input.close()

    terminate = kill = close

    def _run(self) -> None:
        for line in iter(self._input.lines.get, None):
            if not self._session.handle(line):
                break
        else:
            worker = self._session.worker
            self._output.closed = worker is not None and not worker.halted.is_set()
        self._session.close()
        self._returncode = 0
        try:
            self._output.call(self._protocol.process_exited)
            self._output.call(self._protocol.connection_lost, None)
        except ValueError:
            pass  # the event loop has ended
