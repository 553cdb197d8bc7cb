"""Variants of the real search: the same source with other kernels, and their lines' faults."""

from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from engine.lab.variants import VARIANTS, VariantSearcher
from engine.search.limits import Limits
from engine.search.searcher import Searcher
from helpers.client import run
from helpers.naive_search import facts, search
from uci.apps.engines.pv_checks import LEGAL
from uci.apps.lab.pv_trace import (
    REFINED,
    UNEXPLAINED,
    SearchSetting,
    TraceResult,
    read_positions,
    sample_positions,
    trace_lines,
)
from uci.chess_io.convert import fill

DEPTH, NUMBER = (8, 16) if COMPILED else (2, 4)
BOARDS = sample_positions(
    read_positions(Path(__file__).parents[1] / "data" / "pv_positions.epd"), NUMBER
)

OTHERS = [
    # All kernels of hash_walk are compiled in hash_walk_cut, too.
    pytest.param(name, marks=[pytest.mark.long] if COMPILED and name == "hash_walk" else [])
    for name in VARIANTS
    if name != "triangular"
]


def result(name: str) -> TraceResult:
    *_, last = trace_lines(
        VariantSearcher(name, 1), BOARDS, SearchSetting(name, Limits(depth=DEPTH))
    )
    return last


@pytest.mark.interpreted
@pytest.mark.slow
def test_the_first_variant_is_the_engine() -> None:
    """The first variant has the engine's nodes, scores and lines: a base for comparing others."""
    ours, theirs = Searcher(1), VariantSearcher("triangular", 1)
    ours._thread.use_correction = 0
    for board in BOARDS:
        fill(ours.pos, board)
        fill(theirs.pos, board)
        assert facts(search(ours, DEPTH)) == facts(search(theirs, DEPTH)), board.fen()


@pytest.mark.interpreted
@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_line_can_be_played(name: str) -> None:
    found = result(name)
    assert found.tally.applied[LEGAL] >= DEPTH * NUMBER // 2
    assert not found.tally.failed(LEGAL), found.tally.faults


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the table cuts too little at small depths")
def test_a_cut_line_is_untrue_and_a_store_mends_it() -> None:
    """The score of a cut line is not that of its end; with a store it nearly always is."""
    cut, walked, stored = map(result, ("triangular_cut", "hash_walk_cut", "hash_store"))
    wrong = {
        found.setting.name: found.classes[REFINED] + found.classes[UNEXPLAINED]
        for found in (cut, walked, stored)
    }
    assert wrong["triangular_cut"] > 2 * wrong["hash_store"]
    assert wrong["hash_walk_cut"] > wrong["triangular_cut"]
    assert stored.plies >= cut.plies
    assert abs(cut.nodes - stored.nodes) < cut.nodes / 8  # only move ordering may differ


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="plays too slowly")
def test_a_variant_plays(root: Path) -> None:
    """A variant plays in a process that loads code compiled by another one."""
    for _ in range(2):
        told = run(root, "pv-lab", "--variant", "hash_store", given="isready\ngo depth 6\n")
        assert told.returncode == 0, told.stderr
        assert told.stderr == ""
        assert "bestmove" in told.stdout


def test_an_unknown_variant(root: Path) -> None:
    told = run(root, "pv-lab", "--variant", "nonsense")
    assert told.returncode == 2
    assert "--variant nonsense: expected triangular, " in told.stderr
