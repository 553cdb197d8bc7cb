"""How the engine starts: from kept code, and from nothing."""

from uci.apps.doctor.check import TELL, Check
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.probe import ENGINE
from uci.session.backend import COMPILING, EACH_TIME
from uci.session.bench import CHECK_NODES

LATE = 3.0
"""Seconds to ``readyok`` after which people wonder; a start takes a sixth of it."""


def check_warm_start(findings: Findings) -> Check:
    """Check a start as a chess program makes it."""
    wanted = f"within {LATE:.0f} s"
    if not findings.probe.step("load"):
        return Check("warm start", "skipped", "needs compiled code", wanted)
    start = findings.start
    if start.trouble:
        mend = "pythagoras, then uci: what does it say?"
        return Check("warm start", "wrong", start.trouble, wanted, mend)
    compiled = [text for text in start.told if text.startswith((COMPILING[:9], EACH_TIME[:9]))]
    failed = [text for text in start.told if "cannot be loaded" in text]
    if compiled or failed:
        mend = "tell us, with the last line"
        return Check("warm start", "wrong", (failed or compiled)[0], wanted, mend)
    found = f"uciok {start.hello:.2f} s, ready {start.ready:.2f} s"
    if start.ready > LATE:
        mend = "a slow disk, a virus scanner or a busy machine: once more when it is idle"
        return Check("warm start", "note", found, wanted, mend)
    return Check("warm start", "ok", found, wanted)


def check_cold_start(findings: Findings) -> Check:
    """Check that the engine compiles from nothing, into a folder that is removed afterwards."""
    wanted = "the same counts"
    cold = findings.cold_probe
    if cold is None:
        return Check("cold start", "skipped", "not tried: --cold", wanted)
    if findings.probe.step("chess") is None:
        return Check("cold start", "skipped", "not tried: needs python-chess", wanted)
    if why := cold.first_failure(*ENGINE):
        return Check("cold start", "wrong", why, wanted, TELL)
    load = cold.step("load")
    if load is None or not cold.step("kernels")["compiled"]:
        return Check("cold start", "skipped", "nothing to compile", wanted)
    if load["unkept"]:
        return Check("cold start", "wrong", load["unkept"], wanted, "make room for temporary files")
    if cold.step("bench") != CHECK_NODES:
        found = f"{cold.step('bench')} nodes for {CHECK_NODES}"
        return Check("cold start", "wrong", found, wanted, TELL)
    return Check("cold start", "ok", f"compiled in {load['seconds']:.0f} s", wanted)
