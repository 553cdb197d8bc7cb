"""Progress on standard error: a bar where somebody watches, otherwise a line for each game."""

import sys
import threading
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Self

from uci.analysis.analyst import Look
from uci.protocol.terminal import console_on

if TYPE_CHECKING:
    from rich.progress import Progress


class AnalysisProgress:
    """Counts games, positions and nodes, from any thread; ``quiet`` shows nothing but errors."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Progress | None = None
        self._lock = threading.Lock()
        self._start = monotonic()
        self.games = self.positions = self.nodes = 0

    def __enter__(self) -> Self:
        console = None if self._quiet else console_on(sys.stderr)
        if console:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
            self._bar = None

    def begin(self, size: int | None) -> None:
        """Begin a source of ``size`` bytes, if that is known."""
        with self._lock:
            self.games = self.positions = self.nodes = 0
            self._start = monotonic()
        if self._bar:
            self._bar.reset(self._task, total=size, description=str(self))

    def seen(self, looks: Sequence[Look]) -> None:
        """Count what was looked at."""
        with self._lock:
            self.positions += len(looks)
            self.nodes += sum(look.nodes for look in looks if look.lines)
        if self._bar:
            self._bar.update(self._task, description=str(self))

    def finished(self, bytes_done: int, line: str) -> None:
        """Count a game that ends after so many bytes of its source, and say ``line`` of it."""
        with self._lock:
            self.games += 1
        if self._bar:
            self._bar.update(self._task, completed=bytes_done, description=str(self))
        elif not self._quiet:
            self.say(line)

    def note(self, text: str) -> None:
        """Say what matters to those who watch."""
        if not self._quiet:
            self.say(text)

    def say(self, text: str) -> None:
        """Say what is said in any case."""
        if self._bar:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)

    @property
    def speed(self) -> str:
        """What was looked at since the source was begun, and how fast."""
        seconds = max(monotonic() - self._start, 1e-6)
        return f"{self.positions:,} positions, {self.nodes / seconds:,.0f} nodes a second"

    def __str__(self) -> str:
        return f"{self.games:,} games, {self.speed}"
