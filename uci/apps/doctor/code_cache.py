"""The folder of compiled code: its place and rights, and what lies in it."""

import shutil
import time
from pathlib import Path

from engine.jit import cache
from engine.user_folders import cache_variable
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings
from uci.errors import reason

ROOM = 100 << 20
"""Bytes that must be free: compiled code takes a tenth."""

_UNITS = ("day", 86400), ("hour", 3600), ("minute", 60)


def check_folder(_: Findings) -> Check:
    """Check that compiled code can be kept: a folder that is ours alone, on a disk with room."""
    wanted = "yours alone, with room"
    try:
        folder = cache.open_folder().parent
        trial = folder / "doctor"
        cache.write(trial, bytes(4096))
        trial.unlink()
        free = shutil.disk_usage(folder).free
    except (OSError, RuntimeError) as error:
        mend = "make room there"
        if isinstance(error, PermissionError):
            mend = "own it and all above it, and let nobody else write to them: chown, chmod go-w"
        mend += f"; or set {cache_variable()} to a folder of your own"
        return Check("cache folder", "wrong", _said(error), wanted, mend)
    found = f"{_short(folder)}, {free / (1 << 30):.1f} GB free"
    if free < ROOM:
        mend = f"make room on that disk, or set {cache_variable()} to a folder on another"
        return Check("cache folder", "wrong", found, wanted, mend)
    return Check("cache folder", "ok", found, wanted)


def check_code(findings: Findings) -> Check:
    """Check that everything is compiled, and undamaged; tell how much it is, and how old."""
    wanted = "complete"
    kernels = findings.probe.step("kernels")
    if kernels is None or not kernels["compiled"]:
        return Check("cache", "skipped", "nothing to keep: interpreted", wanted)
    try:
        folder = cache.open_folder()
        files = [path.stat() for path in folder.rglob("*") if path.is_file()]
    except (OSError, RuntimeError):
        return Check("cache", "skipped", "no folder to keep it in", wanted)
    size = sum(file.st_size for file in files) / (1 << 20)
    if findings.probe.step("warm"):
        since = min(file.st_mtime for file in files)
        return Check("cache", "ok", f"complete, {size:.1f} MB, {_age(since)} old", wanted)
    if findings.probe.failure("warm"):
        return Check("cache", "skipped", "after what is wrong above", wanted)
    found = "parts are missing or damaged" if size >= 0.1 else "nothing yet"
    mend = "pythagoras warm compiles; else the next start does, and plays weakly meanwhile"
    return Check("cache", "note", found, wanted, mend)


def _said(error: Exception) -> str:
    name = getattr(error, "filename", None)
    return f"{reason(error)}: {name}" if name else reason(error)


def _short(path: Path) -> str:
    """Return a path with ~ for the home directory."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):
        return str(path)


def _age(since: float) -> str:
    """Return how long ago that was."""
    seconds = max(0.0, time.time() - since)
    for unit, length in _UNITS:
        if seconds >= length:
            count = int(seconds / length)
            return f"{count} {unit}{'s' * (count > 1)}"
    return "a moment"
