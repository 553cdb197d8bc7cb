"""The compiled search counts no references, which would take longer than the chess.

Machine code counts them by functions of numba's runtime. These are never inlined, so the stored
code names those that it calls.
"""

from typing import Any

import numpy as np
import pytest

import engine.search.root_move  # noqa: F401  (its entry point is compiled with the others)
from engine.jit import kernel
from engine.jit.kernel import COMPILED
from engine.syzygy.probe_entry import load_probe
from helpers.entries import entry

pytestmark = pytest.mark.skipif(
    not COMPILED or kernel._stored_code is None, reason="the code is not stored by us"
)

COUNTING = {b"NRT_incref", b"NRT_decref", b"NRT_MemInfo_alloc"}
"""The functions that count references, or allocate what is counted."""


def counting(name: str) -> set[bytes]:
    """Return the functions of `COUNTING` that the stored code of an entry point calls."""
    assert kernel.PLAY.folder
    files = [*kernel.PLAY.folder.glob(f"{name}-*.code")]
    assert files, name
    return {each for file in files for each in COUNTING if each in file.read_bytes()}


def test_the_search_counts_no_references() -> None:
    """Only the wrapper for Python drops references: to the arrays that it was given."""
    kernel.warm()
    assert counting("engine.search.root_move.search_root") == {b"NRT_decref"}


def test_a_probe_of_tablebases_counts_no_references() -> None:
    load_probe()
    assert counting("engine.syzygy.probe_entry.probe_at") == set()


@kernel.kernel
def deeper(moves: Any, depth: Any) -> Any:
    best = moves[0]
    if depth > 0:
        for index in range(len(moves)):
            best = max(best, deeper(moves[index:], depth - 1))
    return best


@entry((np.int64, (1,)), np.int64)
def leak(moves: Any, depth: Any) -> Any:
    """Pass an array down, as a search that keeps its state in arrays would."""
    return deeper(moves, depth)


@entry((np.int64, (1,)), np.int64)
def leak_of_a_copy(moves: Any, depth: Any) -> Any:
    return deeper(moves.copy(), depth)


def test_leaks_are_found() -> None:
    for function, found in ((leak, b"NRT_incref"), (leak_of_a_copy, b"NRT_MemInfo_alloc")):
        assert function(np.array([1, 3, 2]), 2) == 3
        assert found in counting(f"{__name__}.{function.__name__}")
