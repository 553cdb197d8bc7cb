"""Kernels as plain Python in a process that also runs machine code, to watch them at work.

A kernel's source calls other kernels by its globals. So it is copied with globals of its own, in
which each kernel is such a copy too, and each intrinsic its Python twin. Any of them can be
replaced by a function that watches it.
"""

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from engine.evaluation import accumulator, accumulator_twins
from engine.jit.intrinsics import TWINS
from engine.jit.kernel import instance

_TWINS: dict[Any, Any] = {
    **TWINS,
    **{
        getattr(accumulator, name): twin
        for name, twin in vars(accumulator_twins).items()
        if isinstance(twin, FunctionType)
    },
}

Kernel = Callable[..., Any]


class Interpreter:
    """Copies kernels; each once, so that all copies share what they call."""

    def __init__(self, replaced: Mapping[Any, Callable[[Kernel], Kernel]] | None = None) -> None:
        """Call ``replaced[kernel](copy)`` in place of the copy of each of these kernels."""
        self._replaced = {source_of(each): make for each, make in (replaced or {}).items()}
        self._copies: dict[Any, Kernel] = {}

    def copy(self, kernel: Kernel) -> Kernel:
        """Return ``kernel`` as Python; its integers wrap only inside of `wrapping`."""
        source = source_of(kernel)
        if source in self._copies:
            return self._copies[source]
        copy = instance(source, source.__name__)
        made = self._replaced[source](copy) if source in self._replaced else copy
        self._copies[source] = made
        for name in source.__code__.co_names:
            if name in source.__globals__:
                copy.__globals__[name] = self._stand_in(source.__globals__[name])
        return made

    def _stand_in(self, value: Any) -> Any:
        if not callable(value) or isinstance(value, type):
            return value
        if value in _TWINS:
            twin = _TWINS[value]
            return self._replaced[twin](twin) if twin in self._replaced else twin
        source = source_of(value)
        ours = isinstance(source, FunctionType) and source.__module__.startswith("engine.")
        return self.copy(value) if ours else value


def source_of(kernel: Kernel) -> Any:
    """Return the Python function of a kernel or an entry point, or the twin of an intrinsic."""
    return _TWINS.get(kernel) or getattr(kernel, "py_func", inspect.unwrap(kernel))


def wrapping() -> np.errstate:
    """Return a context in which numpy's integers wrap as those of machine code, in silence."""
    return np.errstate(over="ignore")
