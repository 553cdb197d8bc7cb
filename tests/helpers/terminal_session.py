"""A program on a pseudo-terminal, and the screen that a user would see."""

import codecs
import os
import pty
import select
import signal
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from typing import Self

import pyte


class TerminalSession:
    """A program on a terminal of ``columns`` and ``rows``; tests type to it and read its screen."""

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.status: int | None = None
        self.pid, self._master = pty.fork()
        if self.pid == 0:  # the program
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if folder is not None:
                os.chdir(folder)
            size = {"COLUMNS": str(columns), "LINES": str(rows)}
            os.execvpe(command[0], [*command], {**(environment or os.environ), **size})  # noqa: S606
        self.resize(columns, rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def resize(self, columns: int, rows: int) -> None:
        """Resize the terminal."""
        ioctl(self._master, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def type(self, text: str) -> None:
        """Type characters; Enter is a carriage return."""
        os.write(self._master, text.encode())

    @property
    def lines(self) -> list[str]:
        """Return the rows of the screen."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """Return the screen, its rows joined by line feeds."""
        return "\n".join(self.lines)

    def until(self, seen: Callable[[str], bool], seconds: float) -> str:
        """Return the screen as soon as ``seen`` is true of its text. Raises `TimeoutError`."""
        end = time.monotonic() + seconds
        while not seen(self.text):
            left = end - time.monotonic()
            if left <= 0 or not self._read(left):
                if seen(self.text):
                    break
                raise TimeoutError(f"the screen shows:\n{self.text}")
        return self.text

    def wait(self, seconds: float) -> int:
        """Read until the program has ended; return its exit status. Raises `TimeoutError`."""
        end = time.monotonic() + seconds
        while self._master >= 0 and self._read(max(0.0, end - time.monotonic())):
            if time.monotonic() >= end:
                break
        waiting = threading.Thread(target=self._reap, daemon=True)
        waiting.start()
        waiting.join(max(0.0, end - time.monotonic()))
        if self.status is None:
            raise TimeoutError(f"it is still running:\n{self.text}")
        return self.status

    def _reap(self) -> None:
        with suppress(ChildProcessError):  # `close` has reaped it already
            _, status = os.waitpid(self.pid, 0)
            self.status = os.waitstatus_to_exitcode(status)

    def hang_up(self) -> None:
        """Close the terminal while the program runs."""
        os.close(self._master)
        self._master = -1

    def close(self) -> None:
        """End the program, if it has not ended, and the terminal."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._reap()
        if self._master >= 0:
            self.hang_up()

    def _read(self, seconds: float) -> bool:
        """Read the output of some seconds; return False if the program's output has ended."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        # pyte drops all that follows a variation selector, which terminals give no room.
        self._stream.feed(self._decode(data).replace("\N{VARIATION SELECTOR-15}", ""))
        # What a terminal answers when it is asked where its cursor stands.
        for _ in range(data.count(b"\x1b[6n")):
            place = self.screen.cursor
            self.type(f"\x1b[{place.y + 1};{place.x + 1}R")
        return bool(data)
