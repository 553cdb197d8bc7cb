"""Vectors of 512 bits: which processors are faster with them, and that our code has them there."""

from typing import Any

import numpy as np
import pytest

from engine.evaluation.nnue import evaluate_from_scratch
from engine.jit.kernel import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="there is no numba")


@pytest.mark.parametrize(
    ("present", "wide"),
    [
        ({"avx2": True, "avx512f": True, "avx512vnni": True, "avx512vbmi2": True}, True),
        ({"avx2": True, "avx512f": True, "avx512vnni": True, "avx512vbmi2": False}, False),
        ({"avx2": True}, False),
        ({"neon": True}, False),
    ],
    ids=["Ice Lake", "Cascade Lake", "Haswell", "ARM"],
)
def test_processors_since_ice_lake_prefer_wide_vectors(
    present: dict[str, bool], wide: bool
) -> None:
    from engine.jit.vectors import prefers_wide  # imports numba

    assert prefers_wide(present) == wide


@pytest.mark.parametrize("wide", [False, True])
def test_loops_have_wide_vectors_where_they_are_preferred(
    wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numba
    from llvmlite import binding

    from engine.jit import vectors

    def double(words: Any) -> Any:
        for index in range(512):
            words[index] += words[index]

    monkeypatch.setattr(vectors, "_prefers_wide", lambda: wide)
    function = numba.njit(pipeline_class=vectors.WideCompiler)(double)
    function(np.zeros(512, np.int16))
    (code,) = function.inspect_llvm().values()
    assert (vectors._ATTRIBUTE in code) == wide
    (code,) = function.inspect_asm().values()
    if wide:  # unmarked code has them too where LLVM does not prefer 256 bits
        assert ("zmm" in code) == bool(binding.get_host_cpu_features().get("avx512f"))


def test_entry_points_are_compiled_by_that_compiler() -> None:
    from engine.jit.vectors import WideCompiler

    assert evaluate_from_scratch._compiler.pipeline_class is WideCompiler
