"""Kernels for kernels: compiled for the code that calls them, and not for Python.

numba makes machine code of each function that it compiles, with wrappers to call it by, although
what a kernel's caller gets is the intermediate code. Without all that an entry point is optimised
once, as a whole, and the search compiles in half the time. Imported where there is numba.
"""

import functools
from collections.abc import Callable
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.registry import CPUDispatcher

_UNWRAPPED = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}

_DEFAULTS = {name: option.default for name, option in Flags.options.items()}


def _values(flags: Any) -> dict[str, Any]:
    """Return what numba's own does, without a call for each of two dozen options.

    They are compared with every call that is compiled, a twentieth of the time.
    """
    return {**_DEFAULTS, **flags._values}


Flags.values = _values


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code that others link and optimise with their own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: what Python's calls need lies in machine code."""


class _Compiler(Compiler):  # type: ignore[misc]
    def compile_extra(self, function: Callable[..., Any]) -> Any:
        self.state.library = _Linked(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class _Inner(CPUDispatcher):  # type: ignore[misc]
    """A call from Python, as in tests, has the kernel compiled once more, in the ordinary way."""

    @functools.cached_property
    def _ordinary(self) -> Any:
        options = dict(self.targetoptions.items() - _UNWRAPPED.items())
        return numba.jit(**options)(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self._ordinary(*arguments)


def inner(function: Callable[..., Any], **flags: Any) -> Any:
    """Return a kernel that is compiled with ``flags`` when the first that calls it is."""
    dispatcher = numba.njit(pipeline_class=_Compiler, **_UNWRAPPED, **flags)(function)
    dispatcher.__class__ = _Inner
    return dispatcher
