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
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from engine import cache
from engine.aside import Aside
from engine.garbage import collecting_rarely

try:
    import numba
    from numba.core import caching

    from engine.inner import inner
    from engine.repeats import avoid_repeats
    from engine.stored import Stored
except ImportError:
    numba = None

COMPILED: bool = numba is not None and not numba.config.DISABLE_JIT
"""Whether kernels run as machine code in this process."""

if COMPILED:
    avoid_repeats()
    numba.config.CACHE_LOCATOR_CLASSES = ""  # a user's choice would lead elsewhere
else:
    # Unsigned 64-bit arithmetic wraps on purpose; numpy warns where machine code does not.
    warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)

_FLAGS = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` for the kernels that call it, when the first of them compiles."""
    return inner(function, **_FLAGS) if COMPILED else function


def instance(template: Callable[..., Any], name: str, **bound: Any) -> Callable[..., Any]:
    """Return a copy of the function ``template`` that finds ``bound`` instead of its globals.

    ``name`` must be unique: numba files machine code by it. A closure would not do, since
    what is cached of one is never found again.
    """
    copy = FunctionType(template.__code__, {**template.__globals__, **bound}, name)
    copy.__qualname__ = name
    copy.__doc__ = template.__doc__
    return copy


def _type_of(dtype: Any) -> Any:
    each = numba.from_dtype(dtype.base)
    return each[::1] if dtype.shape else each


class EntryPoints:
    """Kernels that Python calls, and the folder where their machine code is kept."""

    folder: Path

    def __init__(self, name: str | None = None) -> None:
        """Keep the code in the cache's folder ``name``, by default the playing engine's."""
        self._known: list[tuple[Any, tuple[Any, ...]]] = []
        self._longest: Any = None
        if COMPILED:
            self.folder = cache.folder(name)

    def entry(self, *arguments: Any, longest: bool = False) -> Callable[[Callable[..., Any]], Any]:
        """Make a kernel callable from Python; ``arguments`` are its dtypes: records, scalars, or
        with the shape (1,) arrays of one record (`engine.records.array_of`).

        Nothing is compiled before `warm` or the first call. `warm` leaves the one that takes
        ``longest`` to a second process.
        """

        def decorate(function: Callable[..., Any]) -> Any:
            if not COMPILED:
                return function
            numba.config.CACHE_DIR = str(self.folder)
            dispatcher = numba.njit(**_FLAGS)(function)
            dispatcher._cache = Stored(function, self.folder)
            signature = tuple(_type_of(np.dtype(a)) for a in arguments)
            self._known.append((dispatcher, signature))
            if longest:
                self._longest = dispatcher
            return dispatcher

        return decorate

    def is_warm(self) -> bool:
        """Return whether all imported entry points can be loaded without compiling."""
        return not COMPILED or cache.is_complete(self.folder, self._names())

    def warm(self, progress: Callable[[int, int, str], None] | None = None) -> None:
        """Load every imported entry point from the cache, or compile it once for all processes.

        ``progress(done, total, name)`` is called before each entry point and once at the
        end, and only when something has to be compiled.
        """
        if self.is_warm():
            self._compile_all(None)
            return
        with cache.compiling(self.folder):
            self._compile_all(None if self.is_warm() else progress, not self.is_warm())
            cache.mark_complete(self.folder, self._names())

    def compile(self, name: str) -> None:
        """Compile the entry point ``name``, its module's name before it, into the cache."""
        for known, (dispatcher, signature) in zip(self._names(), self._known, strict=True):
            if known == name:
                with collecting_rarely():
                    dispatcher.compile(signature)

    def _names(self) -> list[str]:
        return [f"{d.py_func.__module__}.{d.__name__}" for d, _ in self._known]

    def _compile_all(
        self, progress: Callable[[int, int, str], None] | None, cold: bool = False
    ) -> None:
        aside = None
        if cold and self._longest and cache.is_lasting(self.folder):
            aside = Aside(self._longest.py_func.__module__, self._longest.__name__)
            self._known.sort(key=lambda known: known[0] is self._longest)
        for done, (dispatcher, signature) in enumerate(self._known):
            if progress:
                progress(done, len(self._known), dispatcher.__name__)
            if aside and dispatcher is self._longest:
                aside.wait()
            try:
                dispatcher.compile(signature)
            except (OSError, EOFError, pickle.UnpicklingError):
                # A full disk or a file cut short by a power failure: do without the cache.
                dispatcher._cache = caching.NullCache()
                dispatcher.compile(signature)
        if progress:
            progress(len(self._known), len(self._known), "")


PLAY = EntryPoints()
"""What playing needs; the laboratory has entry points of its own."""

entry, is_warm, warm = PLAY.entry, PLAY.is_warm, PLAY.warm


def clock() -> float:
    """Milliseconds of a steady clock, for the Python that runs between kernels."""
    return time.perf_counter() * 1000.0
