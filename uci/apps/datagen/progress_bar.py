"""A line of progress, printed repeatedly: counts, speed, and the remaining time."""

import sys
from time import monotonic

from uci.apps.console.streams import print_now
from uci.apps.engines.executor import Workforce, by

UPDATE_EVERY = 1.0, 60.0
"""Seconds between two lines: on a terminal, and elsewhere."""


class ProgressBar:
    """Counts games, positions and nodes, until a goal is reached or the time is up."""

    def __init__(
        self,
        games: int,
        positions: int,
        most_games: int | None = None,
        most_positions: int | None = None,
        seconds: float | None = None,
    ) -> None:
        """Start at ``games`` and ``positions``; a goal that is ``None`` is never reached."""
        self._games, self._positions, self._nodes = games, positions, 0
        self._before = games, positions
        self._goals = most_games, most_positions
        self._seconds = seconds
        self._start = self._shown = monotonic()
        self._terminal = sys.stdout.isatty()
        self.workforce: Workforce | None = None
        """Who plays; None for threads of this process."""

    def count(self, positions: int, nodes: int) -> None:
        """Count a game of so many ``positions``, searched with so many ``nodes``."""
        self._games += 1
        self._positions += positions
        self._nodes += nodes

    def reached(self) -> bool:
        """Return whether a goal is reached."""
        if self._seconds is not None and monotonic() - self._start >= self._seconds:
            return True
        held = self._games, self._positions
        return any(
            goal is not None and have >= goal for goal, have in zip(self._goals, held, strict=True)
        )

    def show(self, last: bool = False) -> None:
        """Print the line, unless one was printed recently; always if it is the ``last``."""
        now = monotonic()
        if not last and now - self._shown < UPDATE_EVERY[0 if self._terminal else 1]:
            return
        self._shown = now
        seconds = max(now - self._start, 1e-6)
        games, positions = self._games - self._before[0], self._positions - self._before[1]
        line = (
            f"{self._games:,} games, {self._positions:,} positions; {games / seconds:.1f} games,"
            f" {positions / seconds:,.0f} positions, {self._nodes / seconds:,.0f} nodes a second"
            f"{by(self.workforce)}"
        )
        left = self._left(seconds)
        if left is not None and not last:
            minutes = int(left / 60)
            line += f"; {minutes // 60} h {minutes % 60:02} min left"
        start, end = ("\r\033[K", "") if self._terminal else ("", "\n")
        print_now(start + line, end="\n" if last else end)

    def _left(self, seconds: float) -> float | None:
        """Return the seconds that are left, at the rate of the ``seconds`` so far."""
        if self._seconds is not None:
            return max(self._seconds - seconds, 0.0)
        held = self._games, self._positions
        for goal, have, before in zip(self._goals, held, self._before, strict=True):
            if goal is not None and have > before:
                return seconds * max(goal - have, 0) / (have - before)
        return None
