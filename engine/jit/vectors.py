"""Compiles kernels to vectors of 512 bits, where a processor keeps its clock with them.

LLVM prefers 256 bits on Intel's processors, since the first ones with AVX-512 slowed down when all
of it was used. From Ice Lake (2019) on they hardly do (Travis Downs, 2020). There 512 bits halve
the instructions for accumulators and attacks. Needs numba's private parts.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_SINCE_ICE_LAKE = "avx512vbmi2"
_ATTRIBUTE = '"prefer-vector-width"="512"'


def prefers_wide(features: Mapping[str, bool]) -> bool:
    """Return whether a processor with these ``features``, by LLVM's names, is faster with 512."""
    return features.get(_SINCE_ICE_LAKE, False)


@functools.cache
def _prefers_wide() -> bool:
    try:
        return prefers_wide(binding.get_host_cpu_features())
    except RuntimeError:  # LLVM does not know the processor
        return False


class WideLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code in which LLVM may use all of the processor's vectors."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module, each of its functions marked for such vectors."""
        if _prefers_wide():
            for function in ir_module.functions:
                if not function.is_declaration:
                    set.add(function.attributes, _ATTRIBUTE)  # llvmlite's `add` knows few names
        super().add_ir_module(ir_module)


class WideCompiler(Compiler):  # type: ignore[misc]
    """numba's usual compiler, for entry points."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile ``function`` into a `WideLibrary`."""
        library = WideLibrary(self.state.targetctx.codegen(), function.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(function)
