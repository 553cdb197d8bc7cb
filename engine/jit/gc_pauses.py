"""Fewer garbage collections while the engine is compiled or loaded."""

import contextlib
import gc
import threading
from collections.abc import Iterator

_THRESHOLDS = (50_000, 50, 50)
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []
"""The thresholds before each `collecting_rarely` in progress, outermost first."""


@contextlib.contextmanager
def collecting_rarely() -> Iterator[None]:
    """Collect garbage rarely in this process, until the last of the overlapping calls has ended.

    Nearly all objects that a compiler allocates stay alive. Collections that visit them again and
    again take a tenth of the time of compiling and loading.
    """
    with _lock:
        _usual.append(gc.get_threshold())
        gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        with _lock:
            last = _usual.pop()
            if not _usual:
                gc.set_threshold(*last)
