"""A second try for tests that fail while others run; each use of it is reported.

``--try first`` keeps what fails. ``--try second`` runs that once more, by itself, unless a failure
is one that no second try may excuse: the crash of a worker, a signal, a test marked ``once``.
``--try last`` ends with everything that passed only in a later try, and how it failed at first.
"""

import re
from collections.abc import Iterator
from textwrap import indent

import pytest

_FAILED, _EXCUSED = "second_try/failed", "second_try/excused"

_SIGNAL = re.compile(
    r"died with <Signals|Fatal Python error|Segmentation fault|returncode=-\d"
    r"|\bassert \(?-(?:4|6|7|8|11) == "
)
"""A child that was ended by a signal: its own mistake, never that of a busy machine."""

_MOST_LINES = 12
"""The length of a failure in the closing lines; the whole of it stands above."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--try", dest="which_try", choices=("first", "second", "last"),
        help="keep what fails for a second try; run that; end with what it excused",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    keeps = config.pluginmanager.hasplugin("cacheprovider")
    if keeps and config.cache and config.getoption("which_try") == "second":
        failed = [*config.cache.get(_FAILED, {})]
        config.args[:] = [*{name.partition("::")[0] for name in failed}] or config.args
    if keeps and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Tries(config, config.getoption("which_try")))


def reason_against(report: pytest.TestReport) -> str:
    """Return why a failure is not tried again; empty if it is."""
    if report.when not in ("setup", "call", "teardown"):
        return "a worker crashed"
    if _SIGNAL.search(report.longreprtext):
        return "a process was ended by a signal"
    if "once" in report.keywords:
        return "it is marked once"
    return ""


def _brief(report: pytest.TestReport) -> str:
    """Return where and how a test failed."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = f"{crash.path}:{crash.lineno}: {crash.message}" if crash else report.longreprtext
    return "\n".join(text.strip().splitlines()[:_MOST_LINES])


class _Tries:
    """What failed in this run and in the first one, and what a later try excused."""

    def __init__(self, config: pytest.Config, which: str | None) -> None:
        assert config.cache
        self._cache, self._which = config.cache, which
        self._failed: dict[str, tuple[str, str]] = {}
        self._rerun: dict[str, str] = {}
        if which == "first":
            self._cache.set(_EXCUSED, {})

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if self._which != "second":
            return
        failed: dict[str, tuple[str, str]] = self._cache.get(_FAILED, {})
        final = [f"{name}: {against}" for name, (_, against) in failed.items() if against]
        chosen = [item for item in items if item.nodeid in failed]
        if final or not chosen:
            pytest.exit("\n".join(["no second try:", *final]), 1)
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome: str = report.outcome
        if outcome == "rerun":  # by pytest-rerunfailures, for tests that watch the clock
            self._rerun.setdefault(report.nodeid, _brief(report))
        elif report.failed:
            self._failed.setdefault(report.nodeid, (_brief(report), reason_against(report)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        excused: dict[str, str] = self._cache.get(_EXCUSED, {}) if self._which else {}
        if self._which == "first":
            self._cache.set(_FAILED, self._failed)
        elif self._which == "second" and exitstatus == pytest.ExitCode.OK:
            first: dict[str, tuple[str, str]] = self._cache.get(_FAILED, {})
            excused |= {name: text for name, (text, _) in first.items()}
        excused |= {name: text for name, text in self._rerun.items() if name not in self._failed}
        self._excused = excused
        if self._which:
            self._cache.set(_EXCUSED, excused)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self._lines():
            terminalreporter.write_line(line)

    def _lines(self) -> Iterator[str]:
        if self._which == "first":
            for name, (_, against) in self._failed.items():
                verdict = f"is not tried again: {against}" if against else "is tried again, alone"
                yield f"{name} {verdict}"
        elif self._excused:
            yield f"passed only in a later try: {len(self._excused)}; the first failure of each:"
            for name, text in self._excused.items():
                yield f"{name}\n{indent(text, '    ')}"
