"""Checks as people read them: a line each, with colours where rich can draw them."""

import shutil
import sys
import textwrap
from collections.abc import Callable
from itertools import zip_longest

from uci.apps.console.terminal import console_on
from uci.apps.doctor.check import Check, Status

_MARKS: dict[Status, tuple[str, str]] = {
    "ok": ("ok", "green"),
    "note": ("note", "yellow"),
    "wrong": ("WRONG", "bold red"),
    "skipped": ("-", "dim"),
}
"""What stands before a check, and its colour."""

_MARK, _NAME, _LEAST, _MOST = 5, 12, 20, 120
"""Columns of the mark and the name, the least behind them, and the most that a line takes."""

Say = Callable[[str, str], None]


def teller() -> Say:
    """Return what prints a line in a colour, or plainly where there is none."""
    try:
        console = console_on(sys.stdout)
    except Exception:  # noqa: BLE001  (a rich that is broken is told of; nothing needs it)
        console = None
    if console is None:
        return lambda text, _: print(text, flush=True)
    return lambda text, style: console.print(
        text, style=style or None, markup=False, highlight=False, soft_wrap=True
    )


def lines(check: Check, columns: int) -> list[str]:
    """Return the lines of a check: mark, name, found and wanted, and below how to mend it."""
    mark, _ = _MARKS[check.status]
    head = f"{mark:{_MARK}} {check.name:{_NAME}} "
    room = max(columns - len(head) - 1, _LEAST)
    left = room * 5 // 9
    indent = " " * len(head)
    found = textwrap.wrap(check.found, left) or [""]
    wanted = textwrap.wrap(f"({check.wanted})", room - left)
    rows = [
        f"{have:{left}} {want}".rstrip() for have, want in zip_longest(found, wanted, fillvalue="")
    ]
    rows += textwrap.wrap(
        check.mend, room, initial_indent="> ", subsequent_indent="  ", break_on_hyphens=False
    )  # a command can be copied
    return [head + rows[0], *(indent + row for row in rows[1:])]


def tell(check: Check, say: Say) -> None:
    """Print a check."""
    columns = min(shutil.get_terminal_size().columns, _MOST)
    for line in lines(check, columns):
        say(line, _MARKS[check.status][1] if check.status != "ok" else "")
