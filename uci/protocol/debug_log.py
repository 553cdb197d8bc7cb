"""Logs all input and output to a file: the option ``Debug Log File``."""

import threading
from datetime import datetime
from typing import IO

from engine.files import named, open_log
from uci.errors import reason
from uci.protocol.messages import format_message


class DebugLog:
    """Writes every line with its time and direction to a file, once one is opened.

    Any thread may log lines; only the input thread opens files. A lock protects the file, the order
    of its lines and the pending error message; whether a file is open is read without the lock.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._trouble = b""
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Append to the file at ``path`` from now on; an empty path closes the current file.

        Raises `OSError` if it cannot be written; the previous file then stays open.
        """
        file = open_log(named(path)) if path else None
        with self._lock:
            self._close()
            self._file = file

    def note_received(self, data: bytes) -> None:
        """Log a line from the client."""
        self._note(b"> ", data)

    def note_sent(self, data: bytes) -> bytes:
        """Log lines from the engine; return the line to send after them if the log failed."""
        self._note(b"< ", data)
        with self._lock:
            told, self._trouble = self._trouble, b""
        return told

    def _note(self, mark: bytes, data: bytes) -> None:
        if self._file is None:
            return
        time = datetime.now().isoformat(" ", "milliseconds").encode()
        lines = data.replace(b"\r", b"").removesuffix(b"\n").split(b"\n")
        entry = b"".join(time + b" " + mark + line + b"\n" for line in lines)
        with self._lock:
            try:
                if self._file is not None:
                    self._file.write(entry)
            except (OSError, ValueError) as error:  # a full disk must not disturb the game
                self._lose(error)
                self._close()

    def _close(self) -> None:
        """Close the file, if one is open. The caller holds the lock."""
        file, self._file = self._file, None
        try:
            if file is not None:
                file.close()
        except OSError as error:
            self._lose(error)

    def _lose(self, error: Exception) -> None:
        told = format_message(f"debug log closed, it is incomplete: {reason(error)}")
        self._trouble = f"{told}\n".encode()
