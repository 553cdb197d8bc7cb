"""Compiles kernels that only other kernels call: to intermediate code, without machine code.

numba makes machine code and wrappers for each function, although the kernels that call it link
its intermediate code. Without that work an entry point is optimised once, as a whole, and the
search compiles in half the time. Needs numba's private parts.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numba
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager, _pass_registry
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    TranslateByteCode,
)

from engine.jit.plain_indices import used_as_they_are
from engine.jit.vectors import WideCompiler, WideLibrary

__all__ = ("WideCompiler", "inner")

_PASSES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    DeadBranchPrune,
    GenericRewrites,
    ReconstructSSA,
    NopythonTypeInference,
    PreLowerStripPhis,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
)
"""Half of numba's passes: kernels have no closures, comprehensions, array expressions, ``with``."""


class _Linked(WideLibrary):
    """Intermediate code that callers link and optimise with their own."""

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
        """Do nothing: only calls from Python need an environment."""


class _Passes(PassManager):  # type: ignore[misc]
    """Runs the passes without timing, events and dependency checks."""

    def run(self, state: Any) -> None:
        for each, _ in self.passes:
            # Not in type inference, which may compile a user's function.
            plain = used_as_they_are() if each is NativeLowering else contextlib.nullcontext()
            with plain:
                _pass_registry.get(each).pass_inst.run_pass(state)


class _Compiler(Compiler):  # type: ignore[misc]
    def compile_extra(self, function: Callable[..., Any]) -> Any:
        self.state.library = _Linked(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)

    def define_pipelines(self) -> list[PassManager]:
        passes = _Passes("kernel")
        for each in _PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


class _Inner(CPUDispatcher):  # type: ignore[misc]
    """A kernel; for calls from Python, as in tests, numba compiles it again in its usual way."""

    ordinarily: Callable[[Callable[..., Any]], Any]

    @functools.cached_property
    def _ordinary(self) -> Any:
        return self.ordinarily(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self._ordinary(*arguments)


def inner(
    function: Callable[..., Any], ordinarily: Callable[[Callable[..., Any]], Any], **flags: Any
) -> Any:
    """Return a kernel, compiled with ``flags`` together with the first kernel that calls it.

    For calls from Python it is compiled by the dispatcher ``ordinarily``.
    """
    dispatcher = numba.njit(
        pipeline_class=_Compiler, no_cfunc_wrapper=True, no_cpython_wrapper=True, **flags
    )(function)
    dispatcher.__class__ = _Inner
    dispatcher.ordinarily = ordinarily
    return dispatcher
