"""Engines side by side: each position is searched by all, several positions at a time."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial

from uci.apps.engines.executor import TaskLost, Workforce, as_done, wait_for
from uci.apps.epd.engine_group import introduce, solve
from uci.apps.epd.outcomes import Outcome, failed
from uci.apps.epd.suite_file import Problem
from uci.session.settings import Shortfall


class Contest:
    """Several groups of the same engines, one for each worker of a workforce."""

    def __init__(
        self,
        words: Sequence[str],
        options: Mapping[str, str],
        go: tuple[str, int],
        workforce: Workforce,
    ) -> None:
        """Start a group by the engines' ``words``; ``go`` is a limit of UCI's `go` with its number.

        Raises `UciError` where an engine does not start, `TaskLost` where ours ends in that.
        """
        self._words, self._options, self._go = [*words], dict(options), go
        self._workforce = workforce
        introduction = workforce.submit(introduce, self._words, self._options)
        self._introduction = wait_for(introduction).result()

    @property
    def names(self) -> list[str]:
        """What the engines call themselves; numbered where several have one name."""
        names = self._introduction.names
        earlier = [names[:at].count(name) for at, name in enumerate(names)]
        return [f"{n} ({e + 1})" if e else n for n, e in zip(names, earlier, strict=True)]

    @property
    def missing_options(self) -> Sequence[str]:
        """What the engines cannot be told: a line for each option that one does not have."""
        return self._introduction.missing_options

    @property
    def short(self) -> dict[str, tuple[Shortfall, ...]]:
        """Where engines, by their names, have less than they were to have."""
        found = zip(self.names, self._introduction.short, strict=True)
        return {name: short for name, short in found if short}

    def results(
        self, problems: Sequence[Problem], known: Container[int] = ()
    ) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield the numbers of the positions, as they are done, with an outcome for each engine.

        Without those that are ``known`` already. Raises `UciError` where an engine that has ended
        does not start again.
        """
        calls = (
            (number, self._call(problem))
            for number, problem in enumerate(problems)
            if number not in known
        )
        for number, done in as_done(self._workforce, calls):
            try:
                yield number, done.result()
            except TaskLost as error:
                lost = failed(problems[number], f"given up: {error}")
                yield number, [lost] * len(self._words)

    def _call(self, problem: Problem) -> Callable[[], Future[list[Outcome]]]:
        submit = self._workforce.submit
        return partial(submit, solve, self._words, self._options, problem, self._go)
