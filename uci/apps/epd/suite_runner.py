"""Runs a suite with several engines: each position is searched by all, several at a time."""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial

from uci.apps.engines.executor import TaskExecutor, TaskLost, as_done, wait_for
from uci.apps.epd.engine_group import introduce, solve
from uci.apps.epd.outcomes import Outcome, failed
from uci.apps.epd.suite_file import Problem


class SuiteRunner:
    """Groups of the same engines, one group for each worker of an executor."""

    def __init__(
        self,
        words: Sequence[str],
        options: Mapping[str, str],
        go: tuple[str, int],
        executor: TaskExecutor,
    ) -> None:
        """Start a group by the engines' ``words``; ``go`` is a limit of UCI's `go` with its number.

        Raises `UciError` if an engine does not start, `TaskLost` if starting it crashes ours.
        """
        self._words, self._options, self._go = [*words], dict(options), go
        self._executor = executor
        introduction = executor.submit(introduce, self._words, self._options)
        found = wait_for(introduction).result()
        earlier = [found.names[:at].count(name) for at, name in enumerate(found.names)]
        self.names = [
            f"{n} ({e + 1})" if e else n for n, e in zip(found.names, earlier, strict=True)
        ]
        """The engines' names; numbered if several have the same name."""
        self.missing_options = found.missing_options
        """A line for each option that an engine does not have."""
        self.short = {n: short for n, short in zip(self.names, found.short, strict=True) if short}
        """By engine name, the options of which the system provided less."""

    def results(
        self, problems: Sequence[Problem], known: Container[int] = ()
    ) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield the numbers of the positions as they finish, with an outcome for each engine.

        ``known`` positions are skipped. Raises `UciError` if an engine that has ended does not
        start again.
        """
        submit = self._executor.submit
        calls = (
            (number, partial(submit, solve, self._words, self._options, problem, self._go))
            for number, problem in enumerate(problems)
            if number not in known
        )
        for number, done in as_done(self._executor, calls):
            try:
                yield number, done.result()
            except TaskLost as error:
                lost = failed(problems[number], f"given up: {error}")
                yield number, [lost] * len(self._words)
