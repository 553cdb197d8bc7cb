"""Formats results for display, in colour with rich, and the line for bug reports."""

import platform
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest

from engine.cores import cores
from uci import __version__
from uci.apps.console.terminal import console_on
from uci.apps.doctor.check_files import commit
from uci.apps.doctor.check_packages import python_version
from uci.apps.doctor.check_search import ratio
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import Result, Status

_MARKS: dict[Status, tuple[str, str]] = {
    "ok": ("ok", ""),
    "note": ("note", "yellow"),
    "wrong": ("WRONG", "bold red"),
    "skipped": ("-", "dim"),
}
"""The mark before a result, and the colour of its lines, by status."""

_MARK, _NAME, _LEAST, _MOST = 5, 12, 20, 120
"""Widths of the mark and the name, the minimum after them, and the maximum of a line."""

Printer = Callable[[str, str], None]
"""Prints a text in a rich style."""


def printer() -> Printer:
    """Return a function that prints in colour, or plainly without rich or a terminal."""
    try:
        console = console_on(sys.stdout)
    except Exception:  # noqa: BLE001  (a broken rich is reported by its check)
        console = None
    if console is None:
        return lambda text, _: print(text, flush=True)
    return lambda text, style: console.print(
        text, style=style or None, markup=False, highlight=False, soft_wrap=True
    )


def lines(result: Result, columns: int) -> list[str]:
    """Return the lines of a result: mark, name, found and wanted, and below them the fix."""
    head = f"{_MARKS[result.status][0]:{_MARK}} {result.name:{_NAME}} "
    room = max(columns - len(head) - 1, _LEAST)
    left = room * 5 // 9
    found = textwrap.wrap(result.found, left) or [""]
    wanted = textwrap.wrap(f"({result.wanted})", room - left)
    rows = [f"{a:{left}} {b}".rstrip() for a, b in zip_longest(found, wanted, fillvalue="")]
    rows += textwrap.wrap(
        result.fix, room, initial_indent="> ", subsequent_indent="  ", break_on_hyphens=False
    )  # so that a command can be copied
    return [head + rows[0], *(" " * len(head) + row for row in rows[1:])]


def print_result(result: Result, write: Printer) -> None:
    """Print a result, folded to the terminal's width."""
    for line in lines(result, min(shutil.get_terminal_size().columns, _MOST)):
        write(line, _MARKS[result.status][1])


def names_of(results: Iterable[Result], status: Status) -> list[str]:
    """Return the names of the results of one status."""
    return [result.name for result in results if result.status == status]


def verdict(results: Sequence[Result]) -> str:
    """Return a summary of all results."""
    wrong, notes = names_of(results, "wrong"), names_of(results, "note")
    noted = f", {len(notes)} note{'s' * (len(notes) > 1)}" if notes else ""
    return (f"Wrong: {', '.join(wrong)}" if wrong else "Installation OK") + noted + "."


def bug_report(diagnostics: Diagnostics, results: Sequence[Result]) -> str:
    """Return a line with versions, machine, speed and failed checks; it contains no paths."""
    probe = diagnostics.probe
    revision = f" ({found})" if (found := commit()) else ""
    packages = [
        f"{name} {package['version']}"
        if (package := probe.value(name))
        else f"{'no' if probe.missing(name) else 'broken'} {name}"
        for name in ("numba", "llvmlite", "numpy", "chess")
    ]
    processor = (probe.value("processor") or {}).get("name", "unknown processor")
    code = "compiled" if (probe.value("kernels") or {}).get("compiled") else "not compiled"
    engines = filter(None, (probe, diagnostics.cold_probe))
    if speed := next(filter(None, (each.value("speed") for each in engines)), None):
        code += f", nps {ratio(*speed)} of perft's"
    parts = [
        f"Pythagoras {__version__}{revision}",
        python_version(),
        ", ".join(packages),
        f"{platform.system()} {platform.release()} {platform.machine()}",
        f"{processor}, {cores()} cores",
        code,
        f"wrong: {', '.join(names_of(results, 'wrong')) or 'nothing'}",
    ]
    if notes := names_of(results, "note"):
        parts.append(f"notes: {', '.join(notes)}")
    return "; ".join(parts)
