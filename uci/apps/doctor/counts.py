"""What the engine counts: leaves and nodes that are known, and how many in a second."""

from uci.apps.doctor.check import TELL, Check
from uci.apps.doctor.diagnostics import Findings
from uci.session.bench import CHECK_DEPTH, CHECK_NODES

SLOWEST, FASTEST = 1 / 400, 1 / 80
"""Nodes of the search for each leaf of perft, in the same time: usual bounds."""


def check_perft(findings: Findings) -> Check:
    """Check the leaves of known positions: proof of all that makes moves."""
    wanted = "the leaves that are known"
    if skipped := _skipped("perft", findings, wanted):
        return skipped
    counts = findings.counted("perft")
    if counts is None:
        return _failed("perft", findings, wanted)
    wrong = [f"{found:,} for {known:,}" for _, _, known, found in counts if found != known]
    if wrong:
        return Check("perft", "wrong", "; ".join(wrong), wanted, TELL)
    leaves = sum(found for _, _, _, found in counts)
    return Check("perft", "ok", f"{leaves:,} leaves", wanted)


def check_bench(findings: Findings) -> Check:
    """Check the nodes of a small bench: the search is the one that was tested."""
    wanted = f"{CHECK_NODES:,} to depth {CHECK_DEPTH}"
    if skipped := _skipped("bench", findings, wanted, compiled=True):
        return skipped
    nodes = findings.counted("bench")
    if nodes is None:
        return _failed("bench", findings, wanted)
    if nodes != CHECK_NODES:
        mend = "sources that were edited may count otherwise; if nobody edited: " + TELL
        return Check("bench", "wrong", f"{nodes:,} nodes", wanted, mend)
    return Check("bench", "ok", f"{nodes:,} nodes", wanted)


def check_speed(findings: Findings) -> Check:
    """Check the speed of the search against that of perft: a ratio, whatever the machine."""
    wanted = f"1/{1 / FASTEST:.0f} to 1/{1 / SLOWEST:.0f}"
    if skipped := _skipped("speed", findings, wanted, compiled=True):
        return skipped
    speed = findings.counted("speed")
    if speed is None:
        return _failed("speed", findings, wanted)
    nodes, leaves = speed
    found = f"{nodes / 1000:,.0f} k nps, {ratio(nodes, leaves)} of perft's"
    if not SLOWEST <= nodes / leaves <= FASTEST:
        mend = "close what else computes and look again; if it stays, tell us, with the last line"
        return Check("speed", "note", found, wanted, mend)
    return Check("speed", "ok", found, wanted)


def ratio(nodes: int, leaves: int) -> str:
    """Return nodes for each leaf, as a fraction."""
    return f"1/{leaves / max(nodes, 1):.0f}"


def _skipped(name: str, findings: Findings, wanted: str, compiled: bool = False) -> Check | None:
    """Return a check that is left out: without the engine, or without code that is ``compiled``."""
    kernels = findings.probe.step("kernels")
    if kernels is None or (compiled and not kernels["compiled"]):
        return Check(name, "skipped", "needs compiled code", wanted)
    if (
        findings.engine is None
        and not findings.probe.failure("warm")
        and not findings.probe.failure("load")
    ):
        return Check(name, "skipped", "nothing is compiled yet", wanted)
    return None


def _failed(name: str, findings: Findings, wanted: str) -> Check:
    """Return a check that went wrong, or that another one before it has left out."""
    why = (findings.engine or findings.probe).failure(name)
    if not why:
        return Check(name, "skipped", "after what is wrong above", wanted)
    return Check(name, "wrong", why, wanted, TELL)
