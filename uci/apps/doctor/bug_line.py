"""The line for a bug report: all that matters, and nothing of the user's."""

import platform
from collections.abc import Iterable

from engine.cores import cores
from uci import __version__
from uci.apps.doctor.check import Check, names_of
from uci.apps.doctor.counts import ratio
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.installed import python
from uci.apps.doctor.own_files import commit


def bug_line(findings: Findings, checks: Iterable[Check]) -> str:
    """Return the line: versions, machine, speed, and the names of checks that failed. No paths."""
    checks = list(checks)
    revision = f" ({found})" if (found := commit()) else ""
    packages = [
        f"{name} {package['version']}"
        if (package := findings.probe.step(name))
        else f"{'no' if findings.probe.missing(name) else 'broken'} {name}"
        for name in ("numba", "llvmlite", "numpy", "chess")
    ]
    processor = (findings.probe.step("processor") or {}).get("name", "unknown processor")
    kernels = findings.probe.step("kernels") or {}
    code = "compiled" if kernels.get("compiled") else "not compiled"
    speed = findings.counted("speed")
    parts = [
        f"Pythagoras {__version__}{revision}",
        python(),
        ", ".join(packages),
        f"{platform.system()} {platform.release()} {platform.machine()}",
        f"{processor}, {cores()} cores",
        f"{code}, nps {ratio(*speed)} of perft's" if speed else code,
        f"wrong: {', '.join(names_of(checks, 'wrong')) or 'nothing'}",
    ]
    if notes := names_of(checks, "note"):
        parts.append(f"notes: {', '.join(notes)}")
    return "; ".join(parts)
