"""The command ``pythagoras epd``: solves test suites, and compares results."""

import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import (
    HASH,
    STREAM,
    THREADS,
    Tasks,
    add_search_options,
    limit_of,
    refuse_unused,
)
from uci.apps.console.signals import status_of
from uci.apps.engines.scheduler import add_options, find_scheduler
from uci.errors import UciError, named_errors, printable, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from uci.apps.engines.scheduler import Scheduler
    from uci.apps.epd.outcomes import Outcome
    from uci.apps.epd.results_file import ResultsFile
    from uci.apps.epd.suite_file import Suite
    from uci.apps.epd.suite_progress import SuiteProgress
    from uci.session.settings import Shortfall

LIMIT = ("movetime", 1000)
"""The default limit per position."""


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "epd",
        usage="%(prog)s [OPTION ...] SUITE.epd ...",
        help="solve test suites: best moves, moves to avoid, mates, points",
        description="Solve the positions of EPD files: best moves (bm), moves to avoid (am), points"
        " (c0, or c8 with c9 or c7), or else mates (dm). The hash table is cleared for each.",
        epilog="example: pythagoras epd suite.epd --movetime 500 --engine pythagoras",
    )
    add = parser.add_argument
    add(
        "suites",
        nargs="*",
        metavar="SUITE.epd",
        help="EPD files, also compressed; - for standard input",
    )
    add_search_options(parser, LIMIT, "positions searched at the same time (1)")
    add(
        "--engine", metavar="COMMAND", action="append",
        help="UCI engine (pythagoras: this one); repeat for more",
    )  # fmt: skip
    add("--json", metavar="FILE", help="also write results as JSON; - for standard output")
    add(
        "--compare", nargs=2, type=Path, metavar=("OLD.json", "NEW.json"),
        help="list newly solved and newly lost positions",
    )  # fmt: skip
    add_options(parser)
    add("--verbose", action="store_true", help="print a line for each position")
    add("--quiet", action="store_true", help="print only results and errors")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve or compare; return the exit status: 1 if something could not be read or run.

    Raises `UciError` if the command cannot be run.
    """
    return _compare(options) if options.compare else _solve(options)


def _compare(options: argparse.Namespace) -> int:
    from uci.apps.epd.suite_changes import changes
    from uci.apps.epd.suite_json import read_results
    from uci.apps.epd.suite_report import print_tables

    if options.suites:
        raise UciError("--compare cannot be used with files of positions")
    refuse_unused(options, "with --compare", {"compare", "quiet", "verbose"})
    print_tables(changes(*map(read_results, options.compare)))
    return 0


def _solve(options: argparse.Namespace) -> int:
    settings = {
        "Hash": str(options.hash or HASH),
        "Threads": str(options.threads or THREADS),
        **({"SyzygyPath": options.tables} if options.tables else {}),
    }
    scheduler = find_scheduler(options, "jobs", "tables", "engine")
    if not options.suites:
        raise UciError("epd: expected at least one file of positions")
    if options.json not in (None, STREAM):
        _check_writable(Path(options.json), options.suites)
    from uci.apps.epd.suite_file import read_suite, summed_up
    from uci.apps.epd.suite_progress import SuiteProgress

    suite = read_suite(options.suites)
    words = options.engine or ["pythagoras"]
    path = None if options.json in (None, STREAM) else Path(options.json)
    work = _Work(
        suite, words, settings, limit_of(options, LIMIT), options.jobs or 1, scheduler, path
    )
    with SuiteProgress(options.quiet, options.verbose) as progress:
        for note in suite.notes:
            progress.note(printable(note))
        for line in summed_up(suite.complaints):
            progress.say(line)
        if not suite.problems:
            raise UciError("epd: no positions to solve")
        if suite.repaired:
            kinds = ", ".join(f"{kind} ({count:,})" for kind, count in suite.repairs.most_common())
            progress.note(f"repaired lines: {suite.repaired:,}; {kinds}")
        names, outcomes, status = _run(work, progress)
    if not outcomes:  # stopped before the first result
        return status
    told = _tell(work, options.json == STREAM, names, outcomes)
    errors = any(each.error for found in outcomes.values() for each in found)
    return status or int(bool(suite.complaints) or errors or not told)


@dataclass(frozen=True, slots=True)
class _Work:
    """The settings of a run; ``path`` is the file for the results, None if there is none.

    ``short`` are, by engine name, the options of which the system provided less.
    """

    suite: "Suite"
    words: "Sequence[str]"
    settings: "Mapping[str, str]"
    limit: tuple[str, int]
    jobs: int
    scheduler: "Scheduler | None"
    path: Path | None
    short: "dict[str, tuple[Shortfall, ...]]" = field(default_factory=dict)

    def results(
        self, names: "Sequence[str]", outcomes: "Mapping[int, Sequence[Outcome]]"
    ) -> dict[str, object]:
        """Return the JSON document of the results, with the engines under these names."""
        from uci.apps.engines.compatibility import fingerprint
        from uci.apps.epd.suite_json import document

        settings = {
            "limit": dict([self.limit]),
            "options": self.settings,
            "given": {n: {each.option: each.given for each in s} for n, s in self.short.items()},
            "jobs": self.jobs,
            "fingerprint": fingerprint(),
        }
        engines = dict(zip(names, self.words, strict=True))
        return document(self.suite, engines, settings, outcomes)

    def file(self, names: "Sequence[str]") -> "ResultsFile | None":
        """Return the file for the results, None if there is none."""
        from uci.apps.epd.results_file import ResultsFile

        return ResultsFile(self.path, partial(self.results, names)) if self.path else None


def _run(
    work: _Work, progress: "SuiteProgress"
) -> "tuple[Sequence[str], dict[int, list[Outcome]], int]":
    """Return the engines' names, the outcomes by position, and the exit status."""
    from uci.apps.engines.client import OURS
    from uci.apps.engines.executor import TaskLost
    from uci.apps.engines.make_executor import make_executor
    from uci.apps.engines.warm_up import compile_kernels
    from uci.apps.epd.suite_runner import SuiteRunner
    from uci.protocol.writer import exit_process
    from uci.session.backend import import_entry_points

    problems = work.suite.problems
    outcomes: dict[int, list[Outcome]] = {}
    names, status = work.words, 0
    stopped = KeyboardInterrupt, SystemExit  # Ctrl-C, and signals
    try:
        if OURS in work.words and work.scheduler is None:
            import_entry_points()
            compile_kernels(progress.note)
        with make_executor(min(work.jobs, len(problems)), work.scheduler, progress.say) as executor:
            progress.executor = executor
            try:
                runner = SuiteRunner(work.words, work.settings, work.limit, executor)
                names = runner.names
                for missing in runner.missing_options:
                    progress.note(missing)
                work.short.update(runner.short)
                for name, short in work.short.items():
                    for each in short:
                        progress.say(f"pythagoras: {name}: {each}")
                file = work.file(names)
                if file:
                    outcomes = file.earlier(work.suite)
                progress.suite(len(problems), names, outcomes.values())
                for number, found in runner.results(problems, {*outcomes}):
                    outcomes[number] = found
                    progress.finished(problems[number], found)
                    if file:
                        file.keep(outcomes)
            except stopped as stop:
                status = status_of(stop)
                kept = outcomes and work.path
                progress.note(
                    "stopped" + ("; run the same command again to resume" if kept else "")
                )
            for line in executor.summary:
                progress.note(line)
    except stopped as stop:  # a second signal: do not wait for machine code that still runs
        exit_process(status_of(stop))
    except (TaskLost, UciError) as error:
        if not outcomes:
            raise UciError(str(error)) from None
        progress.say(str(error))
        status = 1
    return names, outcomes, status


def _tell(
    work: _Work,
    stream: bool,
    names: "Sequence[str]",
    outcomes: "Mapping[int, Sequence[Outcome]]",
) -> bool:
    """Write and print the results; return whether the file could be written."""
    from uci.apps.epd.suite_json import limit_words
    from uci.apps.epd.suite_report import print_tables, report

    if stream:
        sys.stdout.write(json.dumps(work.results(names, outcomes), indent=1) + "\n")
        sys.stdout.flush()
        return True
    written = True
    if file := work.file(names):
        try:
            file.write(outcomes)
        except OSError as error:
            print(f"pythagoras: {work.path}: {error.strerror}", file=sys.stderr)
            written = False
    limit = limit_words(dict([work.limit]))
    print_tables(report(work.suite, names, outcomes, f"{limit} for each"))
    sys.stdout.flush()
    return written


def _check_writable(path: Path, suites: "Sequence[str]") -> None:
    """Raise `UciError`, before the long work, if a file cannot or must not be written."""
    from uci.apps.console.output_file import check_target
    from uci.apps.epd.results_file import may_replace

    check_target(path, force=True)
    name = shorten(str(path))
    if not os.access(path.parent, os.W_OK):
        raise UciError(f"{name}: the folder is not writable")
    if not path.exists():
        return
    if any(Path(suite).exists() and path.samefile(suite) for suite in suites):
        raise UciError(f"{name}: this file contains the positions; choose another file for --json")
    with named_errors(path):
        if not may_replace(path):
            raise UciError(
                f"{name} exists and does not contain results; choose another file for --json"
            )
