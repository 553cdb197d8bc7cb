"""A UCI client that returns every line of an engine unchanged.

Where possible, use `chess.engine` instead; it drops unexpected lines, such as those with illegal
moves.
"""

import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self


class EngineTerminated(Exception):
    """Raised if the engine has ended, or was killed after a timeout."""


class UciClient:
    """A running engine; ``popen`` is its process."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stderr: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """Start the engine. It is killed if `until` waits for ``timeout`` seconds.

        Raises `OSError`.
        """
        self._timeout = timeout
        self.popen = subprocess.Popen(
            command, cwd=cwd, env=env, text=True, errors="backslashreplace",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
        )  # fmt: skip

    def say(self, *lines: str) -> Self:
        """Write lines. Raises `EngineTerminated`."""
        assert self.popen.stdin is not None
        try:
            self.popen.stdin.write("".join(f"{line}\n" for line in lines))
            self.popen.stdin.flush()
        except OSError as error:
            raise EngineTerminated(str(error)) from None
        return self

    def until(self, start: str) -> list[str]:
        """Return the lines up to one that begins with ``start``. Raises `EngineTerminated`."""
        assert self.popen.stdout is not None
        watchdog = threading.Timer(self._timeout or threading.TIMEOUT_MAX, self.popen.kill)
        watchdog.daemon = True
        watchdog.start()
        lines = []
        try:
            for line in self.popen.stdout:
                lines.append(line.rstrip("\n"))
                if line.startswith(start):
                    return lines
        finally:
            watchdog.cancel()
        raise EngineTerminated(f"no {start} in {lines}")

    def close(self) -> None:
        """Send ``quit``, and kill the engine if it does not end."""
        try:
            self.say("quit")
            self.popen.wait(5)
        except (EngineTerminated, subprocess.TimeoutExpired):
            self.popen.kill()
        self.popen.communicate()
