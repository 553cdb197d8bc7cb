"""The progress of game generation: counts, speed, and the goal."""

from time import monotonic

from uci.apps.console.streams import print_now
from uci.apps.console.terminal import StatusBar
from uci.apps.engines.executor import TaskExecutor, by
from uci.errors import counted

LINE_EVERY = 60.0
"""Seconds between two lines of output without a terminal."""


class GameProgress(StatusBar):
    """Counts games, positions and nodes, until a goal or the time limit is reached."""

    executor: TaskExecutor | None = None
    """The workers of a cluster; None for threads of this process."""

    def __init__(
        self,
        games: int,
        positions: int,
        most_games: int | None = None,
        most_positions: int | None = None,
        seconds: float | None = None,
    ) -> None:
        """Start at ``games`` and ``positions``; a goal of ``None`` is never reached."""
        super().__init__()
        self._games, self._positions, self._nodes = games, positions, 0
        self._before = games, positions
        self._goals = most_games, most_positions, seconds
        self._start = self._shown = monotonic()

    def count(self, positions: int, nodes: int) -> None:
        """Count a game with this number of ``positions`` and ``nodes``."""
        self._games += 1
        self._positions += positions
        self._nodes += nodes

    def reached(self) -> bool:
        """Return whether a goal is reached."""
        done, goal = self._done()
        return goal is not None and done >= goal

    def start(self) -> None:
        """Draw the bar, on a terminal."""
        self.begin(str(self), self._done()[1])

    def show(self) -> None:
        """Update the bar; without a terminal print a line, at most one a minute."""
        if self.drawn:
            self.update(str(self), self._done()[0])
        elif monotonic() - self._shown >= LINE_EVERY:
            self._shown = monotonic()
            print_now(f"{self}{self._left()}")

    def finish(self) -> None:
        """Remove the bar, and print the counts."""
        self.__exit__()
        print_now(str(self))

    def _done(self) -> tuple[float, float | None]:
        """Return the finished part of the goal, and the goal, None if there is none."""
        held = self._games, self._positions, monotonic() - self._start
        return next(
            (
                (have, goal)
                for have, goal in zip(held, self._goals, strict=True)
                if goal is not None
            ),
            (0, None),
        )

    def _left(self) -> str:
        """Return the estimated time left at the speed so far, empty if unknown."""
        (done, goal), seconds = self._done(), monotonic() - self._start
        before = next((b for b, g in zip(self._before, self._goals, strict=False) if g), 0)
        if goal is None or done <= before:
            return ""
        minutes = int(max(goal - done, 0) * seconds / (done - before) / 60)
        return f"; {minutes // 60} h {minutes % 60:02} min left"

    def __str__(self) -> str:
        seconds = max(monotonic() - self._start, 1e-6)
        games, positions = self._games - self._before[0], self._positions - self._before[1]
        return (
            f"{counted(self._games, 'game')}, {counted(self._positions, 'position')};"
            f" {games / seconds:.1f} games,"
            f" {positions / seconds:,.0f} positions, {self._nodes / seconds:,.0f} nodes a second"
            f"{by(self.executor)}"
        )
