"""Engines side by side: each position is searched by all, several positions at a time."""

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from typing import Self

from uci.suites.contestants import PATIENCE, Contestant, EngineGone, open_contestant
from uci.suites.outcomes import Outcome, failed, judge, needs_chess960
from uci.suites.suite_file import Problem

END_WITHIN = 10.0
"""Seconds for the searches to end in when they are told to stop."""


class Contest:
    """Several teams of the same engines, each in a thread that takes the next position.

    The teams share nothing but the queue of positions and that of results; ``_halted`` is an event.
    """

    def __init__(
        self,
        words: Sequence[str],
        options: Mapping[str, str],
        go: tuple[str, int],
        jobs: int,
    ) -> None:
        """Take engines by their ``words``; ``go`` is a limit of UCI's `go` with its number."""
        self._words, self._options, self._go, self._jobs = words, options, go, jobs
        self._teams: list[list[Contestant | None]] = []
        self._threads: list[threading.Thread] = []
        self._results: queue.SimpleQueue[tuple[int, list[Outcome]] | BaseException | None]
        self._results = queue.SimpleQueue()
        self._halted = threading.Event()

    def __enter__(self) -> Self:
        """Start all engines. Raises `EngineGone`."""
        try:
            for _ in range(self._jobs):
                self._teams.append([])
                for word in self._words:
                    self._teams[-1].append(open_contestant(word, self._options))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the searches, and end the engines."""
        self._halted.set()
        deadline = monotonic() + END_WITHIN
        while any(thread.is_alive() for thread in self._threads) and monotonic() < deadline:
            for contestant in self._contestants():
                contestant.stop()  # again: its search may have begun just now
            for thread in self._threads:
                thread.join(0.05)
        for contestant in self._contestants():
            contestant.close()

    @property
    def names(self) -> list[str]:
        """What the engines call themselves; numbered where several have one name."""
        names = [contestant.name if contestant else "?" for contestant in self._teams[0]]
        earlier = [names[:at].count(name) for at, name in enumerate(names)]
        return [f"{n} ({e + 1})" if e else n for n, e in zip(names, earlier, strict=True)]

    @property
    def lacks(self) -> list[str]:
        """What the engines cannot be told: a line for each option that one does not have."""
        return [
            f"{contestant.name} has no option {option}"
            for contestant in self._teams[0]
            if contestant
            for option in contestant.lacks
        ]

    def results(self, problems: Sequence[Problem]) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield the numbers of the positions, as they are done, with an outcome for each engine.

        Raises `EngineGone` where an engine that has ended does not start again.
        """
        waiting = iter(enumerate(problems))
        lock = threading.Lock()

        def take() -> tuple[int, Problem] | None:
            with lock:
                return None if self._halted.is_set() else next(waiting, None)

        for team in self._teams:
            thread = threading.Thread(target=self._work, args=(team, take), daemon=True)
            self._threads.append(thread)
            thread.start()
        running = len(self._threads)
        while running:
            try:
                result = self._results.get(
                    timeout=0.2
                )  # an endless wait hears no Ctrl-C on Windows
            except queue.Empty:
                continue
            if result is None:
                running -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result

    def _work(
        self, team: list[Contestant | None], take: Callable[[], tuple[int, Problem] | None]
    ) -> None:
        """Search positions, in a thread, until there are no more."""
        try:
            while taken := take():
                number, problem = taken
                outcomes = [self._ask(team, place, problem) for place in range(len(team))]
                self._results.put((number, outcomes))
        except BaseException as error:  # noqa: BLE001  (whoever waits for the results is told)
            self._results.put(error)
        finally:
            self._results.put(None)

    def _ask(self, team: list[Contestant | None], place: int, problem: Problem) -> Outcome:
        """Return an engine's answer; one that has ended starts again with the next position."""
        contestant = team[place]
        if contestant is None:
            contestant = team[place] = open_contestant(self._words[place], self._options)
        if self._halted.is_set():
            return failed(problem, "stopped")
        name, number = self._go
        patience = PATIENCE + 10 * number / 1000 if name == "movetime" else None
        chess960 = needs_chess960(problem.board)
        try:
            search = contestant.search(problem.board.fen(), chess960, f"{name} {number}", patience)
        except EngineGone as error:
            team[place] = None
            contestant.close()
            return failed(problem, str(error))
        return judge(problem, search)

    def _contestants(self) -> list[Contestant]:
        return [each for team in self._teams for each in team if each is not None]
