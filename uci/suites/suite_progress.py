"""Progress on standard error: a bar where somebody watches, otherwise a line for each position."""

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from uci.protocol.terminal import console_on
from uci.suites.outcomes import Outcome
from uci.suites.suite_file import Problem
from uci.suites.suite_report import seconds

if TYPE_CHECKING:
    from rich.progress import Progress


class SuiteProgress:
    """Counts positions and what each engine solved.

    ``quiet`` shows nothing but errors; ``verbose`` shows a line for each position in any case.
    """

    def __init__(self, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose
        self._bar: Progress | None = None
        self._line = False
        self._total = self._done = 0
        self._names: Sequence[str] = ()
        self._solved: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None
        self._clear()

    def begin(self, total: int, names: Sequence[str]) -> None:
        """Begin with so many positions for these engines."""
        self._total, self._names, self._solved = total, names, [0] * len(names)
        console = None if self._quiet else console_on(sys.stderr)
        if console:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            text = TextColumn("{task.description}", markup=False)
            columns = text, BarColumn(), TimeRemainingColumn()
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task(str(self), total=total)
            self._bar.start()

    def finished(self, problem: Problem, outcomes: Sequence[Outcome]) -> None:
        """Count a position."""
        self._done += 1
        for place, outcome in enumerate(outcomes):
            self._solved[place] += outcome.solved
        if self._quiet:
            return
        watched = sys.stderr.isatty()
        if self._verbose or not watched:
            cells = [f"{n}: {_cell(o)}" for n, o in zip(self._names, outcomes, strict=True)]
            self.say(f"[{self._done}/{self._total}] {problem.name}  " + "  ".join(cells))
        if self._bar:
            self._bar.update(self._task, completed=self._done, description=str(self))
        elif watched:
            self._clear()
            width = shutil.get_terminal_size().columns - 1
            print(str(self)[:width], end="", file=sys.stderr, flush=True)
            self._line = True

    def note(self, text: str) -> None:
        """Say what matters to those who watch."""
        if not self._quiet:
            self.say(text)

    def say(self, text: str) -> None:
        """Say what is said in any case."""
        if self._bar:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            self._clear()
            print(text, file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._line:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._line = False

    def __str__(self) -> str:
        counts = [f"{n} {s:,} solved" for n, s in zip(self._names, self._solved, strict=True)]
        return f"{self._done:,} of {self._total:,}: " + ", ".join(counts)


def _cell(outcome: Outcome) -> str:
    if outcome.error:
        return outcome.error
    worth = "" if outcome.points is None else f", {outcome.points} points"
    if outcome.solved:
        return f"{outcome.san} solved, {seconds(outcome.counted)}{worth}"
    return f"{outcome.san} not solved{worth}"
