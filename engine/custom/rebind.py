"""Copies of kernels in which some kernels are replaced: every caller of a replaced one is copied.

So a search with another evaluation is compiled from the source of the engine's own search, and
the playing search needs no switches.
"""

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from engine.jit.kernel import instance, kernel

_OURS = __name__.partition(".")[0]


class Rebinder:
    """Copies kernels that call, at any depth, one of the ``replaced``."""

    def __init__(self, replaced: Mapping[Any, Any], suffix: str) -> None:
        """Use ``replaced``, from kernels to what is called in their place.

        ``suffix``, unique to this mapping, ends the name of each copy, so that copies made with
        different mappings keep their own machine code in one process.
        """
        self._made = {source_of(old): new for old, new in replaced.items()}
        self._suffix = suffix

    def entry(self, entry: Any) -> Callable[..., Any]:
        """Return a copy of an entry point as a plain function, for `EntryPoints.entry`."""
        source = source_of(entry)
        return self._copy(source, self._rebound(source))

    def _kernel(self, called: Any) -> Any:
        """Return what to call in place of a kernel: itself, if nothing below it is replaced."""
        source = source_of(called)
        if source not in self._made:
            self._made[source] = called  # for a kernel that calls itself
            if bound := self._rebound(source):
                copy = self._copy(source, bound)
                self._made[source] = copy.__globals__[source.__name__] = kernel(copy)
        return self._made[source]

    def _rebound(self, source: FunctionType) -> dict[str, Any]:
        """Return the globals of ``source`` that need another value."""
        values = {name: source.__globals__.get(name) for name in source.__code__.co_names}
        kernels = {name: value for name, value in values.items() if _is_kernel(value)}
        return {name: new for name, old in kernels.items() if (new := self._kernel(old)) is not old}

    def _copy(self, source: FunctionType, bound: Mapping[str, Any]) -> Callable[..., Any]:
        return instance(source, f"{source.__name__}_{self._suffix}", **bound)


def source_of(kernel: Any) -> Any:
    """Return the Python function of a kernel, an entry point or a function of numba's."""
    return getattr(kernel, "py_func", None) or inspect.unwrap(kernel)


def _is_kernel(value: Any) -> bool:
    if not callable(value) or isinstance(value, type):
        return False
    source = source_of(value)
    return isinstance(source, FunctionType) and source.__module__.partition(".")[0] == _OURS
