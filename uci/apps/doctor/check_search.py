"""Checks of the engine: its counts, its speed, and its start."""

from uci.apps.doctor.check import check
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.probe import ENGINE
from uci.apps.doctor.result import REINSTALL_COMPILER, REPORT, Note, Skipped, Wrong
from uci.session.backend import COMPILING, EACH_TIME
from uci.session.bench import CHECK_DEPTH, CHECK_NODES

SLOWEST, FASTEST = 1 / 400, 1 / 80
"""The usual range of search nodes per leaf of perft, in the same time."""

SLOW_START = 3.0
"""Seconds to ``readyok`` from which a start is slow; half a second is usual."""


@check("perft", "the known leaf counts")
def perft(diagnostics: Diagnostics) -> str:
    """Check move generation against the known counts of some positions."""
    counts = diagnostics.engine_result("perft", compiled=False)
    wrong = [f"{found:,} instead of {known:,}" for _, _, known, found in counts if found != known]
    if wrong:
        raise Wrong("; ".join(wrong), REINSTALL_COMPILER)
    return f"{sum(found for *_, found in counts):,} leaves"


@check("bench", f"{CHECK_NODES:,} to depth {CHECK_DEPTH}")
def bench(diagnostics: Diagnostics) -> str:
    """Check the node count of a small bench: it identifies the search that was tested."""
    nodes = diagnostics.engine_result("bench")
    if nodes != CHECK_NODES:
        fix = f"expected after edits of the sources; otherwise: {REINSTALL_COMPILER}"
        raise Wrong(f"{nodes:,} nodes", fix)
    return f"{nodes:,} nodes"


@check("speed", f"1/{1 / FASTEST:.0f} to 1/{1 / SLOWEST:.0f}")
def speed(diagnostics: Diagnostics) -> str:
    """Check the search speed relative to that of perft: the ratio is similar on any machine."""
    nodes, leaves = diagnostics.engine_result("speed")
    found = f"{nodes / 1000:,.0f} k nps, {ratio(nodes, leaves)} of perft's"
    if not SLOWEST <= nodes / leaves <= FASTEST:
        raise Note(found, f"close other programs and check again; if that does not help, {REPORT}")
    return found


def ratio(nodes: int, leaves: int) -> str:
    """Return nodes per leaf, as a fraction."""
    return f"1/{leaves / max(nodes, 1):.0f}"


@check("warm start", f"within {SLOW_START:.0f} s")
def warm_start(diagnostics: Diagnostics) -> str:
    """Check a start as a chess GUI performs it."""
    if not diagnostics.probe.value("load"):
        raise Skipped("needs compiled code")
    start = diagnostics.start_up
    if not start.readyok:
        raise Wrong("the engine ended before readyok", "run pythagoras, then uci, for its error")
    failed = [text for text in start.messages if "cannot be loaded" in text]
    compiled = [text for text in start.messages if text.startswith((COMPILING[:9], EACH_TIME[:9]))]
    if failed or compiled:
        raise Wrong((failed or compiled)[0], REPORT)
    found = f"uciok {start.uciok:.2f} s, readyok {start.readyok:.2f} s"
    if start.readyok > SLOW_START:
        raise Note(found, "slow disk, virus scanner or busy machine: check again when idle")
    return found


@check("cold start", "the same counts")
def cold_start(diagnostics: Diagnostics) -> str:
    """Check that the engine compiles from scratch, into a folder that is removed afterwards."""
    cold = diagnostics.cold_probe
    if cold is None:
        raise Skipped("only with --cold")
    diagnostics.require_package("chess")
    load = cold.require(*ENGINE, "load")
    if not cold.require("kernels")["compiled"]:
        raise Skipped("nothing to compile")
    if load["unkept"]:
        raise Wrong(load["unkept"], "free some space for temporary files")
    if (nodes := cold.require("bench")) != CHECK_NODES:
        raise Wrong(f"{nodes} nodes instead of {CHECK_NODES}", REINSTALL_COMPILER)
    return f"compiled in {load['seconds']:.0f} s"
