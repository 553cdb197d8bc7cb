"""Python and the packages: there, working, and of a version that was tried."""

import sys
from importlib import metadata

from uci.apps.console.extras import reinstall_command
from uci.apps.doctor.check import Check, Status
from uci.apps.doctor.diagnostics import Findings

TRIED = {
    "python": ("3.11", "3.13"),
    "numpy": ("1.26", "2.5"),
    "numba": ("0.60", "0.68"),
    "chess": ("1.10", "1.11"),
}
"""The oldest version that will do, and the newest that the engine was tried with."""

CHESS_ENDS = (1, 12)
"""From here on python-chess is another: see pyproject."""


def check_python(_: Findings) -> Check:
    """Check this Python's version."""
    narrow = sys.maxsize < 1 << 32
    found = f"{python()}, 32 bit" if narrow else python()
    oldest, newest = map(_numbers, TRIED["python"])
    status: Status = "ok"
    mend = ""
    if sys.version_info[:2] < oldest:
        status, mend = "wrong", f"install Python {TRIED['python'][0]} or newer"
    elif sys.version_info[:2] > newest or not found.startswith("CPython") or narrow:
        status = "note"
        mend = f"nobody has tried this one; CPython {TRIED['python'][1]} of 64 bit is known to do"
    return Check("Python", status, found, _wanted("python"), mend)


def python() -> str:
    """Return the name and version of this Python."""
    name = {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, "another Python")
    return f"{name} {'.'.join(map(str, sys.version_info[:3]))}"


def check_numpy(findings: Findings) -> Check:
    """Check numpy."""
    return _check(findings, "numpy")


def check_numba(findings: Findings) -> Check:
    """Check numba; a numpy that is not sound breaks it as well, and was told."""
    if findings.probe.step("numpy") is None:
        return _skipped("numba", "needs numpy")
    return _check(findings, "numba")


def check_chess(findings: Findings) -> Check:
    """Check python-chess."""
    return _check(findings, "chess")


def _check(findings: Findings, name: str) -> Check:
    wanted, again = _wanted(name), reinstall_command(_requirement(name))
    package = findings.probe.step(name)
    if package is None:
        below = ("llvmlite",) if name == "numba" else ()
        why = findings.probe.first_failure(name, *below)
        if not why:
            return _skipped(name, "after what is wrong above")
        found = "missing" if findings.probe.missing(name) else f"broken: {why}"
        return Check(name, "wrong", found, wanted, again)
    version = str(package["version"])
    oldest, newest = map(_numbers, TRIED[name])
    if _numbers(version) < oldest or (name == "chess" and _numbers(version) >= CHESS_ENDS):
        return Check(name, "wrong", version, wanted, again)
    if _numbers(version) > newest:
        mend = "nobody has tried this version; if something is odd, install one that was tried"
        if name == "numba":
            mend = "compiling and starting take longer, since nobody has tried this version"
        return Check(name, "note", version, wanted, mend)
    kernels = findings.probe.step("kernels") or {}
    if name == "numba" and kernels.get("slower"):
        return Check(name, "note", version, wanted, kernels["slower"])
    return Check(name, "ok", version, wanted)


def _skipped(name: str, why: str) -> Check:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = "unknown"
    return Check(name, "skipped", f"{version}, not tried: {why}", _wanted(name))


def _requirement(name: str) -> str:
    ceiling = f",<{'.'.join(map(str, CHESS_ENDS))}" if name == "chess" else ""
    return f"{name}>={TRIED[name][0]}{ceiling}"


def _wanted(name: str) -> str:
    oldest, newest = TRIED[name]
    return f"{oldest} to {newest}" if name == "chess" else f"{oldest} or newer, tried {newest}"


def _numbers(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    first, second, *_ = [*version.split("."), "0", "0"]
    digits = "".join(letter for letter in second if letter.isdigit())
    return int(first), int(digits or 0)
