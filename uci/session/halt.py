"""The wish that work may end, from any thread: an event that kernels, too, can be told of."""

import threading
from collections.abc import Callable


class Halt(threading.Event):
    """Is set when work is to end."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._told: list[Callable[[], None]] = []

    def tell(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once this is set, or now if it is."""
        with self._lock:
            if not self.is_set():
                self._told.append(callback)
                return
        callback()

    def set(self) -> None:
        """Ask for the end."""
        with self._lock:
            super().set()
            told, self._told = self._told, []
        for callback in told:
            callback()
