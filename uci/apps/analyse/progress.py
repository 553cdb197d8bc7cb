"""The progress of an analysis: drawn on a terminal, otherwise a line for each game."""

from collections.abc import Sequence
from time import monotonic

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.console.terminal import StatusBar
from uci.apps.engines.executor import TaskExecutor, by
from uci.errors import counted
from uci.session.settings import Shortfall


class AnalysisProgress(StatusBar):
    """Counts games, positions and nodes, from any thread, for the engines of ``executor``.

    ``short`` has, by option, the smallest value that the system could provide to an engine.
    """

    executor: TaskExecutor | None = None

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self._start = monotonic()
        self.games = self.positions = self.nodes = 0
        self.short: dict[str, Shortfall] = {}

    def source(self, size: int | None) -> None:
        """Begin a source of ``size`` bytes, None if unknown."""
        with self._lock:
            self.games = self.positions = self.nodes = 0
            self._start = monotonic()
            self.begin(str(self), size)

    def seen(self, analyses: Sequence[PositionAnalysis]) -> None:
        """Count analysed positions."""
        with self._lock:
            self.positions += len(analyses)
            self.nodes += sum(analysis.nodes for analysis in analyses)
            for each in {each for analysis in analyses for each in analysis.short}:
                self._note_shortfall(each)
            self.update(str(self))

    def finished(self, bytes_done: int, line: str) -> None:
        """Count a game that ends at this offset of its source, and print ``line``."""
        with self._lock:
            self.games += 1
            self.update(str(self), bytes_done)
            if not self.drawn:
                self.note(line)

    def _note_shortfall(self, found: Shortfall) -> None:
        known = self.short.get(found.option)
        if known is None:
            self.say(f"pythagoras: {found}")
        if known is None or found.given < known.given:
            self.short[found.option] = found

    @property
    def speed(self) -> str:
        """The number of positions analysed since the source began, and the speed."""
        seconds = max(monotonic() - self._start, 1e-6)
        return f"{counted(self.positions, 'position')}, {self.nodes / seconds:,.0f} nodes a second"

    def __str__(self) -> str:
        return f"{counted(self.games, 'game')}, {self.speed}{by(self.executor)}"
