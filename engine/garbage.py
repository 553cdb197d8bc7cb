"""The garbage collector, while the engine is loaded or compiled."""

import contextlib
import gc
from collections.abc import Iterator

_RARELY = (50_000, 50, 50)


@contextlib.contextmanager
def collecting_rarely() -> Iterator[None]:
    """Have less garbage collected.

    Nearly all that a compiler makes stays, and the collector would look through it again and
    again: that takes a tenth of the time of compiling, and as much of that of loading.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
