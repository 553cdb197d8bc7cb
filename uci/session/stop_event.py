"""An event that stops work; its callbacks stop machine code."""

import threading
from collections.abc import Callable


class Halt(threading.Event):
    """An event with callbacks, to stop work from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def add_callback(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when this is set, or now if it is."""
        with self._lock:
            if not self.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def set(self) -> None:
        """Set the event, and call the callbacks once."""
        with self._lock:
            super().set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
