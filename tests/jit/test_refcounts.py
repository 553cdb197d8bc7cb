"""The compiled search counts no references, which would take longer than the chess.

Code from the cache cannot be inspected, so everything is compiled again here.
"""

import re
from typing import Any

import pytest

from engine.board.position import POSITION
from engine.jit.kernel import COMPILED, kernel, linked
from engine.search.root_move import search_root_move
from engine.search.thread import THREAD
from engine.syzygy.probe_entry import probe_at

if not COMPILED:
    pytest.skip("there is no machine code", allow_module_level=True)

import numba

BODY = re.compile(r'^define [^\n]*? @"?([\w.$]+)"?\([^\n]*\{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
COUNT = re.compile(r"\bcall\b[^\n]*@NRT_(?:incref|decref)\b")


def reference_counts(function: Any, *arguments: Any) -> dict[str, int]:
    """Compile a function with its callees; return the reference count operations of each."""
    fresh = linked(function)
    fresh.compile(arguments)
    bodies = BODY.findall(fresh.inspect_llvm(arguments))
    assert bodies, "this is no fresh compile"
    ours = [(name, body) for name, body in bodies if re.match("_ZN(?!7cpython)", name)]
    return {name: len(COUNT.findall(body)) for name, body in ours}


def of(counts: dict[str, int], module: str, name: str) -> list[int]:
    """Return the counts of a function, found by its mangled name."""
    path = "".join(f"{len(part)}{part}" for part in [*module.split("."), name])
    return [count for mangled, count in counts.items() if mangled.startswith(f"_ZN{path}B")]


@pytest.mark.slow
def test_the_search_counts_no_references() -> None:
    records = [numba.from_dtype(dtype) for dtype in (POSITION, THREAD)]
    counts = reference_counts(search_root_move.py_func, *records, *[numba.int64] * 5)
    assert of(counts, "engine.search.pvs", "pvs") == [0]
    assert of(counts, "engine.search.quiescence", "quiescence") == [0]
    assert len(counts) > 20, "the callees are missing"
    assert {name: count for name, count in counts.items() if count} == {}


@pytest.mark.slow
def test_a_probe_of_tablebases_counts_no_references() -> None:
    counts = reference_counts(probe_at.py_func, *[numba.int64] * 4)
    assert of(counts, "engine.syzygy.numbering", "position_number") == [0]
    assert {name: count for name, count in counts.items() if count} == {}


@kernel
def deeper(moves: Any, depth: Any) -> Any:
    best = moves[0]
    if depth > 0:
        for index in range(len(moves)):
            best = max(best, deeper(moves[index:].copy(), depth - 1))
    return best


def leak(moves: Any, depth: Any) -> Any:
    """Pass an array down, as a search that keeps its state in arrays would."""
    return deeper(moves, depth)


def test_a_leak_is_found() -> None:
    counts = reference_counts(leak, numba.int64[::1], numba.int64)
    assert sum(of(counts, __name__, "deeper")) > 0, counts
