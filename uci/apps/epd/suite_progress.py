"""The progress of a suite: drawn on a terminal, otherwise a line for each position."""

from collections.abc import Collection, Sequence

from uci.apps.console.terminal import StatusBar
from uci.apps.engines.executor import TaskExecutor, by
from uci.apps.epd.outcomes import Outcome
from uci.apps.epd.suite_file import Problem
from uci.apps.epd.suite_report import seconds


class SuiteProgress(StatusBar):
    """Counts positions, and how many each engine solved.

    ``verbose`` prints a line for each position in any case; ``executor`` are the engines.
    """

    executor: TaskExecutor | None = None

    def __init__(self, quiet: bool, verbose: bool) -> None:
        super().__init__(quiet)
        self._verbose = verbose
        self._total = self._done = 0
        self._names: Sequence[str] = ()
        self._solved: list[int] = []

    def suite(self, total: int, names: Sequence[str], known: Collection[Sequence[Outcome]]) -> None:
        """Begin with ``total`` positions for these engines; ``known`` are saved outcomes."""
        self._total, self._names, self._solved = total, names, [0] * len(names)
        if known:
            self.note(f"resuming, {len(known):,} of {total:,} positions are already done")
        for outcomes in known:
            self._count(outcomes)
        self.begin(str(self), total)

    def finished(self, problem: Problem, outcomes: Sequence[Outcome]) -> None:
        """Count a position."""
        self._count(outcomes)
        if self._verbose or not self.drawn:
            cells = [f"{n}: {_cell(o)}" for n, o in zip(self._names, outcomes, strict=True)]
            self.note(f"[{self._done}/{self._total}] {problem.name}  " + "  ".join(cells))
        self.update(str(self), self._done)

    def _count(self, outcomes: Sequence[Outcome]) -> None:
        self._done += 1
        for place, outcome in enumerate(outcomes):
            self._solved[place] += outcome.solved

    def __str__(self) -> str:
        counts = [f"{n} {s:,} solved" for n, s in zip(self._names, self._solved, strict=True)]
        return f"{self._done:,} of {self._total:,}: " + ", ".join(counts) + by(self.executor)


def _cell(outcome: Outcome) -> str:
    if outcome.error:
        return outcome.error
    worth = "" if outcome.points is None else f", {outcome.points} points"
    if outcome.solved:
        return f"{outcome.san} solved, {seconds(outcome.counted)}{worth}"
    return f"{outcome.san} not solved{worth}"
