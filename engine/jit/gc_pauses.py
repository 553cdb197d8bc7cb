"""The garbage collector, while the engine is loaded or compiled."""

import contextlib
import gc
import threading
from collections.abc import Iterator

_THRESHOLDS = (50_000, 50, 50)
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []
"""The thresholds that each of those who ask found."""


@contextlib.contextmanager
def collecting_rarely() -> Iterator[None]:
    """Have less garbage collected in this process, until the last who asks for it has enough.

    Nearly all that a compiler makes stays, and the collector would look through it again and
    again: that takes a tenth of the time of compiling, and as much of that of loading.
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
