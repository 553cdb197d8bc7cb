"""Engines that search the same positions, one after the other, in one process."""

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from uci.apps.engines.worker_engine import TaskStopped, count, keep
from uci.apps.epd.engine_clients import OURS, PATIENCE, Contestant, EngineGone, start
from uci.apps.epd.outcomes import Outcome, failed, judge
from uci.apps.epd.suite_file import Problem
from uci.session.settings import Shortfall


@dataclass(frozen=True, slots=True)
class Introduction:
    """What the engines of a team call themselves, and the options that some do not have.

    ``short`` tells of each engine where it has less than it was to have.
    """

    names: tuple[str, ...]
    lacks: tuple[str, ...]
    short: tuple[tuple[Shortfall, ...], ...]


class Team:
    """One engine for each of ``words``: started when it is needed, and again once it has ended."""

    def __init__(self, words: Sequence[str], options: Mapping[str, str]) -> None:
        self._words, self._options = words, options
        self._contestants: list[Contestant | None] = [None] * len(words)
        self._halted = False
        self._starting = threading.Lock()

    def introduction(self) -> Introduction:
        """Return what they say of themselves. Raises `EngineGone`."""
        each = [self._contestant(place) for place in range(len(self._words))]
        lacks = (f"{one.name} has no option {option}" for one in each for option in one.lacks)
        names, short = (one.name for one in each), (one.short for one in each)
        return Introduction(tuple(names), tuple(lacks), tuple(short))

    def solve(self, problem: Problem, go: tuple[str, int]) -> list[Outcome]:
        """Return each engine's answer; ``go`` is a limit of UCI's `go` with its number.

        Raises `EngineGone` where one does not start again, and `TaskStopped`.
        """
        return [self._ask(place, problem, go) for place in range(len(self._words))]

    def stop(self) -> None:
        """End the search that runs and all later ones, from any thread."""
        self._halted = True
        for contestant in self._contestants:
            if contestant is not None:
                contestant.stop()

    def close(self) -> None:
        """End the engines, one that is just being started, too."""
        with self._starting:
            for place in range(len(self._words)):
                self._end(place)

    def _contestant(self, place: int) -> Contestant:
        """Return an engine that runs."""
        found = self._contestants[place]
        if found is None:
            found = self._start(place)
            try:
                found.introduce(self._options)
            except BaseException:
                self._end(place)
                raise
        return found

    def _start(self, place: int) -> Contestant:
        """Start an engine. It has its place before it answers, so that `close` ends it.

        Raises `EngineGone`, `TaskStopped`.
        """
        word = self._words[place]
        # Another engine's process may run before it is known. Ours has none, and loads for long.
        with contextlib.nullcontext() if word == OURS else self._starting:
            if self._halted:
                raise TaskStopped
            found = self._contestants[place] = start(word)
        return found

    def _end(self, place: int) -> None:
        """End an engine."""
        contestant, self._contestants[place] = self._contestants[place], None
        if contestant is not None:
            contestant.close()

    def _ask(self, place: int, problem: Problem, go: tuple[str, int]) -> Outcome:
        contestant = self._contestant(place)
        if self._halted:
            raise TaskStopped
        name, number = go
        patience = PATIENCE + 10 * number / 1000 if name == "movetime" else None
        chess960 = problem.board.has_chess960_castling_rights()  # not all engines know it
        try:
            search = contestant.search(problem.board.fen(), chess960, f"{name} {number}", patience)
        except EngineGone as error:
            self._end(place)
            return failed(problem, str(error))
        return judge(problem, search)


def introduce(words: Sequence[str], options: Mapping[str, str]) -> Introduction:
    """Start the team of this process, and introduce it: a task for a workforce.

    Raises `EngineGone`.
    """
    return keep(Team, words, options).introduction()


def solve(
    words: Sequence[str], options: Mapping[str, str], problem: Problem, go: tuple[str, int]
) -> list[Outcome]:
    """Have the team of this process solve a position: a task for a workforce.

    Raises `EngineGone`, `TaskStopped`.
    """
    outcomes = keep(Team, words, options).solve(problem, go)
    count(sum(outcome.all_nodes for outcome in outcomes))
    return outcomes
