"""The command ``pythagoras epd``: positions to solve in; what was solved, and when, out."""

import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from uci.protocol.commands import UciError, shorten, whole_number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from uci.suites.outcomes import Outcome
    from uci.suites.suite_file import Suite
    from uci.suites.suite_progress import SuiteProgress

INTERRUPTED = 130
"""The exit status that shells know for Ctrl-C."""

STREAM = "-"
"""The name of standard input and output."""

MOVETIME = 1000
"""Milliseconds of a position, where no limit is given."""

LIMITS = "nodes", "depth", "movetime"
MOST_JOBS = 512


def add_parser(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "epd",
        help="solve positions: best moves, moves to avoid, mates, points",
        description="Solve the positions of EPD files: bm, am, points (c0, or c8 with c9 or c7)."
        " dm counts where no move is asked for. Each is searched with an empty table.",
    )
    parser.add_argument("suites", nargs="*", metavar="SUITE.epd", help="files; - is standard input")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--movetime", metavar="MS", help=f"for each position ({MOVETIME})")
    limit.add_argument("--nodes", metavar="N", help="... or nodes: the same each time")
    limit.add_argument("--depth", metavar="PLIES", help="... or plies")
    parser.add_argument("--hash", metavar="MB", default="16", help="table of each engine (16)")
    parser.add_argument("--threads", metavar="N", default="1", help="threads of each engine (1)")
    parser.add_argument("--jobs", metavar="N", default="1", help="positions at a time (1)")
    parser.add_argument("--tables", metavar="DIR", default="", help="folders of Syzygy tablebases")
    parser.add_argument(
        "--engine", metavar="COMMAND", action="append", dest="engines",
        help="any UCI engine; again for more, side by side; the word pythagoras is this one",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write results; - is standard output")
    parser.add_argument(
        "--compare", nargs=2, type=Path, metavar=("OLD.json", "NEW.json"),
        help="what is newly solved or lost between two results",
    )  # fmt: skip
    parser.add_argument("--verbose", action="store_true", help="a line for each position")
    parser.add_argument("--quiet", action="store_true", help="say nothing but what goes wrong")


def run(options: "argparse.Namespace") -> int:
    """Solve, or compare; return the exit status: 1 where something could not be read or run.

    Raises `UciError` for what cannot be done.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names have letters that not all terminals know
    try:
        if options.compare:
            return _compare(options)
        return _solve(options)
    except BrokenPipeError:
        return 1


def _compare(options: "argparse.Namespace") -> int:
    from uci.suites.suite_changes import changes
    from uci.suites.suite_json import read_results
    from uci.suites.suite_report import print_tables

    if options.suites or options.json:
        raise UciError("epd: --compare takes two results and nothing else")
    print_tables(changes(*map(read_results, options.compare)))
    return 0


def _solve(options: "argparse.Namespace") -> int:
    limit, jobs, settings = _numbers(options)
    if not options.suites:
        raise UciError("epd: a file of positions is needed")
    if options.json not in (None, STREAM):
        _check_writable(Path(options.json))
    from uci.suites.suite_file import read_suite
    from uci.suites.suite_progress import SuiteProgress

    suite = read_suite(options.suites)
    with SuiteProgress(options.quiet, options.verbose) as progress:
        for complaint in suite.complaints:
            progress.say(str(complaint))
        if not suite.problems:
            raise UciError("epd: no position to solve")
        if suite.repaired:
            kinds = ", ".join(f"{kind} ({count:,})" for kind, count in suite.repairs.most_common())
            progress.note(f"repaired lines: {suite.repaired:,}; {kinds}")
        words = options.engines or ["pythagoras"]
        names, outcomes, status = _run(suite, words, settings, limit, jobs, progress)
    engines = dict(zip(names, words, strict=True))
    facts = {"options": settings, "jobs": jobs}
    told = _tell(options, suite, engines, dict([limit]), facts, outcomes)
    errors = any(each.error for found in outcomes.values() for each in found)
    return status or int(bool(suite.complaints) or errors or not told)


def _run(
    suite: "Suite",
    words: "Sequence[str]",
    settings: "Mapping[str, str]",
    limit: tuple[str, int],
    jobs: int,
    progress: "SuiteProgress",
) -> "tuple[list[str], dict[int, list[Outcome]], int]":
    """Return the engines' names, the outcomes by position, and the exit status."""
    from uci.protocol.writer import exit_process
    from uci.suites.contest import Contest
    from uci.suites.contestants import OURS, EngineGone

    outcomes: dict[int, list[Outcome]] = {}
    names, status = list(words), 0
    try:
        if OURS in words:
            _compile(progress)
        with Contest(words, settings, limit, min(jobs, len(suite.problems))) as contest:
            names = contest.names
            for lack in contest.lacks:
                progress.note(lack)
            progress.suite(len(suite.problems), names)
            try:
                for number, found in contest.results(suite.problems):
                    outcomes[number] = found
                    progress.finished(suite.problems[number], found)
            except KeyboardInterrupt:
                status = INTERRUPTED
                progress.note("stopped")
    except KeyboardInterrupt:  # again, while the engines end; machine code may still run
        exit_process(INTERRUPTED)
    except EngineGone as error:
        if not outcomes:
            raise UciError(str(error)) from None
        progress.say(str(error))
        status = 1
    return names, outcomes, status


def _compile(progress: "SuiteProgress") -> None:
    """Load the kernels, or compile them, in this thread, where a Ctrl-C ends it in order."""
    from engine.jit import kernel

    if kernel.COMPILED and not kernel.is_warm():
        progress.note("compiling for this machine: this happens once")
    kernel.warm()


def _tell(
    options: "argparse.Namespace",
    suite: "Suite",
    engines: "Mapping[str, str]",
    limit: "Mapping[str, int]",
    facts: "Mapping[str, object]",
    outcomes: "Mapping[int, Sequence[Outcome]]",
) -> bool:
    """Write and print the results; return whether the file could be written."""
    from uci.suites.suite_json import document, limit_words
    from uci.suites.suite_report import print_tables, report

    written = True
    if options.json is not None:
        found = document(suite, engines, {"limit": limit, **facts}, outcomes)
        text = json.dumps(found, indent=1) + "\n"
        if options.json == STREAM:
            sys.stdout.write(text)
            sys.stdout.flush()
            return True
        from engine.files import replace_file

        try:
            replace_file(Path(options.json), text.encode())
        except OSError as error:
            print(f"pythagoras: {options.json}: {error.strerror}", file=sys.stderr)
            written = False
    print_tables(report(suite, list(engines), outcomes, f"{limit_words(limit)} for each"))
    sys.stdout.flush()
    return written


def _numbers(options: "argparse.Namespace") -> tuple[tuple[str, int], int, dict[str, str]]:
    """Return the limit, the jobs and the engines' options. Raises `UciError`."""
    from uci.protocol.options import Options

    given = [(name, getattr(options, name)) for name in LIMITS if getattr(options, name)]
    name, text = given[0] if given else ("movetime", str(MOVETIME))
    number = whole_number(text)
    if number is None or not 1 <= number <= 1 << 62:
        raise UciError(f"--{name} {shorten(text)}: at least 1 is needed")
    jobs = whole_number(options.jobs)
    if jobs is None or not 1 <= jobs <= MOST_JOBS:
        raise UciError(f"--jobs {shorten(options.jobs)}: 1 to {MOST_JOBS} are possible")
    known, settings = Options(), {}
    for option in ("Hash", "Threads"):
        _, value = known.parse(option, getattr(options, option.lower()))
        settings[option] = str(value)
    if options.tables:
        from uci.chess_io.tablebases import open_tables

        open_tables(options.tables).close()
        settings["SyzygyPath"] = options.tables
    return (name, number), jobs, settings


def _check_writable(path: Path) -> None:
    """Raise `UciError`, before the long work, where a file cannot be written."""
    name = shorten(str(path))
    if path.exists() and not path.is_file():
        raise UciError(f"{name}: not a regular file")
    if not path.parent.is_dir():
        raise UciError(f"{name}: no such folder")
    if not os.access(path.parent, os.W_OK):
        raise UciError(f"{name}: the folder cannot be written to")
