"""Tables and progress on a terminal, drawn with rich if it is installed."""

import shutil
import sys
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Self, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


def console_on(stream: TextIO) -> "Console | None":
    """Return a rich console if ``stream`` is a terminal and rich is installed, else None."""
    if not stream.isatty() or find_spec("rich") is None:
        return None
    from rich.console import Console

    return Console(file=stream)


_FOLDED = 12
"""Minimum width in columns to which the text of a table is folded."""


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: with rich on a terminal, else as Markdown.

    On a narrow terminal text is folded. Numbers are not; lines may then be longer than the
    terminal.
    """
    if console := console_on(sys.stdout):
        from rich.box import SIMPLE
        from rich.table import Table
        from rich.text import Text

        table = Table(
            title=Text(title), title_justify="left", box=SIMPLE, show_edge=False, pad_edge=False,
            padding=(0, 1, 0, 0),
        )  # fmt: skip
        least = 2 * (len(headings) - 1)
        for number, heading in enumerate(headings):
            # An empty cell counts as a number.
            are_numbers = all(row[number][:1] in "+-0123456789" for row in rows)
            justify: Literal["left", "right"] = "right" if are_numbers else "left"
            table.add_column(Text(heading), overflow="fold", justify=justify, no_wrap=are_numbers)
            widest = max(len(row[number]) for row in (headings, *rows))
            least += widest if are_numbers else min(widest, _FOLDED)
        for row in rows:
            table.add_row(*map(Text, row))
        console.width = max(console.width, least)
        console.print(table)
        return
    print(title, end="\n\n")
    lines = [[cell.replace("|", "\\|") for cell in row] for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("| " + " | ".join(cells) + " |")


class StatusBar:
    """The progress of a command on standard error: a bar, or a line if rich is not installed.

    It is ``drawn`` on a terminal, unless ``quiet``. Any thread may use it; a lock protects the
    output.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self.drawn = not quiet and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._line = False
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None
        self._clear()

    def begin(self, text: str, total: float | None) -> None:
        """Begin with ``text`` and the total amount of work, None if unknown."""
        console = console_on(sys.stderr) if self.drawn and not self._bar else None
        if console:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            words = TextColumn("{task.description}", markup=False)
            bar = Progress(
                words, BarColumn(), TimeRemainingColumn(), console=console, transient=True
            )
            bar.start()
            self._bar = bar
        if self._bar:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(text, total=total)

    def update(self, text: str, done: float | None = None) -> None:
        """Show ``text`` and the amount of work that is ``done``."""
        with self._lock:
            if self._bar and self._task is not None:
                self._bar.update(self._task, completed=done, description=text)
            elif self.drawn:
                self._clear()
                width = shutil.get_terminal_size().columns - 1
                print(text[:width], end="", file=sys.stderr, flush=True)
                self._line = True

    def note(self, text: str) -> None:
        """Print a message, unless ``quiet``."""
        if not self._quiet:
            self.say(text)

    def say(self, text: str) -> None:
        """Print a message, even if ``quiet``."""
        with self._lock:
            if self._bar:
                self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
            else:
                self._clear()
                print(text, file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._line:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._line = False
