"""Formats results for display, and the line for bug reports."""

import platform
import textwrap
from collections.abc import Sequence
from importlib import metadata

from engine.cores import cores
from uci import __version__
from uci.apps.doctor.check import Result, Status
from uci.errors import counted

STYLES: dict[Status, str] = {"ok": "", "note": "yellow", "wrong": "bold red", "skipped": "dim"}
"""The style of a result by status, in rich's words."""

_MARKS = {"wrong": "WRONG", "skipped": "-"}
_MARK, _NAME, _LEAST, _MOST = 5, 12, 40, 120
"""Widths of the mark and the name, and the least and the most of a line."""


def format_result(result: Result, columns: int) -> str:
    """Return a result, folded to lines: mark, name, found and wanted, and below them the fix."""
    head = f"{_MARKS.get(result.status, result.status):{_MARK}} {result.name:{_NAME}} "
    below = " " * (_MARK + _NAME + 2)
    width = min(max(columns, _LEAST), _MOST)
    rows = textwrap.wrap(f"{head}{result.found} ({result.wanted})", width, subsequent_indent=below)
    rows += textwrap.wrap(
        result.fix, width, initial_indent=f"{below}> ", subsequent_indent=f"{below}  ",
        break_on_hyphens=False,
    )  # fmt: skip
    return "\n".join(rows)


def names_of(results: Sequence[Result], status: Status) -> str:
    """Return the names of the results of one status."""
    return ", ".join(result.name for result in results if result.status == status)


def verdict(results: Sequence[Result]) -> str:
    """Return a summary of all results."""
    wrong = names_of(results, "wrong")
    notes = sum(result.status == "note" for result in results)
    noted = f", {counted(notes, 'note')}" if notes else ""
    return (f"Wrong: {wrong}" if wrong else "Installation OK") + noted + "."


def bug_report(results: Sequence[Result]) -> str:
    """Return a line with versions, machine, speed and failed checks; it contains no paths."""
    versions = {each.name: each.version for each in metadata.distributions()}
    packages = ("numba", "llvmlite", "numpy", "chess")
    found = {result.name: result.found for result in results if result.status in ("ok", "note")}
    parts = [
        f"Pythagoras {__version__}",
        f"{platform.python_implementation()} {platform.python_version()}",
        ", ".join(f"{name} {versions.get(name, 'missing')}" for name in packages),
        f"{platform.system()} {platform.release()} {platform.machine()}, {cores()} cores",
        *(found[name] for name in ("files", "processor", "compiler", "speed") if name in found),
        f"wrong: {names_of(results, 'wrong') or 'nothing'}",
    ]
    if notes := names_of(results, "note"):
        parts.append(f"notes: {notes}")
    return "; ".join(parts)
