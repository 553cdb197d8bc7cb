"""The one door to numba: every flag, every entry point and the compiled code's cache.

A *kernel* is a plain Python function over numpy records. Compiled, it releases the
GIL and divides like C. An *entry point* is a kernel that Python itself calls: only
these are cached on disk, and each carries the kernels that it calls.

A kernel may call itself, but two kernels must never call each other: loaded from the
cache, numba leaves such a call unresolved, and the second process crashes.

Without numba (or with ``NUMBA_DISABLE_JIT=1``) the same functions run interpreted.
"""

import pickle
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import cache

try:
    import numba
    from numba.core import caching
except ImportError:
    numba = None

COMPILED: bool = numba is not None and not numba.config.DISABLE_JIT
"""Whether kernels run as machine code in this process."""

if COMPILED:
    CACHE_FOLDER = cache.folder()
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    numba.config.CACHE_LOCATOR_CLASSES = ""  # a user's choice would lead elsewhere
else:
    # Unsigned 64-bit arithmetic wraps on purpose; numpy warns where machine code does not.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)

_FLAGS = {"nogil": True, "error_model": "numpy"}
_entry_points: list[tuple[Any, tuple[Any, ...]]] = []


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` for the kernels that call it, when the first of them compiles."""
    return numba.njit(**_FLAGS)(function) if COMPILED else function


def entry(*arguments: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make a kernel callable from Python; ``arguments`` are its dtypes (a record's or a scalar's).

    Nothing is compiled before `warm` or the first call.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if not COMPILED:
            return function
        dispatcher = numba.njit(cache=True, **_FLAGS)(function)
        _entry_points.append((dispatcher, tuple(numba.from_dtype(np.dtype(a)) for a in arguments)))
        return dispatcher

    return decorate


def is_warm() -> bool:
    """Return whether all imported entry points can be loaded without compiling."""
    return not COMPILED or cache.is_complete(CACHE_FOLDER, _names())


def warm(progress: Callable[[int, int, str], None] | None = None) -> None:
    """Load every imported entry point from the cache, or compile it once for all processes.

    ``progress(done, total, name)`` is called before each entry point and once at the
    end, and only when something has to be compiled.
    """
    if is_warm():
        _compile_all(None)
        return
    with cache.compiling(CACHE_FOLDER):
        _compile_all(None if is_warm() else progress)
        cache.mark_complete(CACHE_FOLDER, _names())


def _names() -> list[str]:
    return [f"{d.py_func.__module__}.{d.__name__}" for d, _ in _entry_points]


def _compile_all(progress: Callable[[int, int, str], None] | None) -> None:
    for done, (dispatcher, signature) in enumerate(_entry_points):
        if progress:
            progress(done, len(_entry_points), dispatcher.__name__)
        try:
            dispatcher.compile(signature)
        except (OSError, EOFError, pickle.UnpicklingError):
            # A full disk or a file cut short by a power failure: do without the cache.
            dispatcher._cache = caching.NullCache()
            dispatcher.compile(signature)
    if progress:
        progress(len(_entry_points), len(_entry_points), "")


def clock() -> float:
    """Milliseconds of a steady clock, for the Python that runs between kernels."""
    return time.perf_counter() * 1000.0
