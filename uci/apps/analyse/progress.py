"""How far the analysis of games is: shown where somebody watches, else a line for each game."""

from collections.abc import Sequence
from time import monotonic

from uci.apps.analyse.analyst import Look
from uci.apps.console.terminal import StatusBar
from uci.apps.engines.executor import Workforce, by
from uci.session.settings import Shortfall


class AnalysisProgress(StatusBar):
    """Counts games, positions and nodes, from any thread; ``workforce`` is who looks.

    ``short`` holds the options of which an engine had less than it was to have: the least.
    """

    workforce: Workforce | None = None

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self._start = monotonic()
        self.games = self.positions = self.nodes = 0
        self.short: dict[str, Shortfall] = {}

    def source(self, size: int | None) -> None:
        """Begin a source of ``size`` bytes, if that is known."""
        with self._lock:
            self.games = self.positions = self.nodes = 0
            self._start = monotonic()
            self.begin(str(self), size)

    def seen(self, looks: Sequence[Look]) -> None:
        """Count what was looked at."""
        with self._lock:
            self.positions += len(looks)
            self.nodes += sum(look.nodes for look in looks)
            for each in {each for look in looks for each in look.short}:
                self._note_shortfall(each)
            self.update(str(self))

    def finished(self, bytes_done: int, line: str) -> None:
        """Count a game that ends after so many bytes of its source, and say ``line`` of it."""
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
        """What was looked at since the source was begun, and how fast."""
        seconds = max(monotonic() - self._start, 1e-6)
        return f"{self.positions:,} positions, {self.nodes / seconds:,.0f} nodes a second"

    def __str__(self) -> str:
        return f"{self.games:,} games, {self.speed}{by(self.workforce)}"
