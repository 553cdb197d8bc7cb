"""The progress of scoring: a bar on a terminal, elsewhere one line at the end."""

from time import monotonic

from uci.apps.console.terminal import StatusBar
from uci.apps.engines.executor import TaskExecutor, by
from uci.errors import counted

MOST_NAMED = 20
"""Lines without a score that are named; more are counted."""

DRAW_EVERY = 0.2
"""Seconds between two updates of the bar."""


class ScoresProgress(StatusBar):
    """Counts positions, nodes, and ``errors``; ``executor`` searches them."""

    executor: TaskExecutor | None = None

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self._start = self._drawn_at = monotonic()
        self.positions = self.nodes = self.errors = 0

    def scored(self, nodes: int, offset: int) -> None:
        """Count a position, at an ``offset`` in bytes of its file."""
        self.positions += 1
        self.nodes += nodes
        if self.drawn and monotonic() - self._drawn_at > DRAW_EVERY:
            self._drawn_at = monotonic()
            self.update(str(self), offset)

    def refused(self, line: str) -> None:
        """Count a line that has no score, and report it unless many were reported."""
        self.errors += 1
        if self.errors <= MOST_NAMED:
            self.say(line)

    def finish(self) -> None:
        """Print the totals."""
        if self.errors > MOST_NAMED:
            self.say(f"{self.errors - MOST_NAMED:,} more lines without a score: see the output")
        self.note(str(self))

    def __str__(self) -> str:
        seconds = max(monotonic() - self._start, 1e-6)
        errors = f", {self.errors:,} without a score" if self.errors else ""
        speed = f"{self.positions / seconds:,.1f} positions and {self.nodes / seconds:,.0f} nodes"
        return f"{counted(self.positions, 'position')}{errors}; {speed} a second{by(self.executor)}"
