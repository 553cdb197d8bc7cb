"""Tables and progress bars, drawn by rich, which the extra ``tools`` installs."""

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

from uci.apps.console.extras import missing

try:
    from rich import progress
    from rich.console import Console
    from rich.table import Table
except ImportError:
    sys.exit(missing("rich", "tools"))

T = TypeVar("T")


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of text under a header: the first column left-aligned, the others right-aligned.

    A row is one line, unless the terminal is too narrow for it.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, name in enumerate(header):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    sys.stdout.flush()
    Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False).print(table)


def track(values: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Return ``values`` with a progress bar on standard error, if that is a terminal."""
    console = Console(stderr=True)
    hidden = not console.is_terminal
    shown: Iterable[T] = progress.track(values, what, total=total, console=console, disable=hidden)
    return shown
