"""All input and output in a file: the option ``Debug Log File``."""

import threading
from datetime import datetime
from typing import IO

from engine.files import open_log


class DebugLog:
    """Writes every line with its time and direction to a file, once one is opened.

    Any thread may add lines; the input thread opens files. A lock protects the file and the order
    of its lines; whether there is a file is read without the lock.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Append to the file at ``path`` from now on; an empty path closes the file.

        Raises `OSError` if it cannot be written, and keeps the previous file.
        """
        file = open_log(path) if path else None
        with self._lock:
            self._file, last = file, self._file
        if last is not None:
            last.close()

    def note_received(self, data: bytes) -> None:
        """Log a line from the client."""
        self._note(b"> ", data)

    def note_sent(self, data: bytes) -> None:
        """Log lines from the engine."""
        self._note(b"< ", data)

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
            except (OSError, ValueError):  # a full disk must not disturb the game
                self._file = None
