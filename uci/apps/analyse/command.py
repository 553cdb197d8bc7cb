"""The command ``pythagoras analyse``: annotates games, and writes PGN, JSON and HTML."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import (
    HASH,
    THREADS,
    Tasks,
    add_evaluate,
    add_search_options,
    engine_option,
    integer,
    limit_of,
)
from uci.apps.console.extras import missing
from uci.apps.console.signals import status_of
from uci.apps.engines.scheduler import add_options, find_scheduler
from uci.errors import UciError, printable, reason, shorten

if TYPE_CHECKING:
    from uci.apps.analyse.analysis_settings import AnalysisSettings
    from uci.apps.analyse.progress import AnalysisProgress
    from uci.apps.analyse.sources import Source
    from uci.apps.engines.scheduler import Scheduler

GOES_ON = "stopped; run the same command again to resume"
STOPPED = "stopped; nothing was saved to resume from"

LIMIT = ("nodes", 2_000_000)
"""The default limit per position."""


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "analyse",
        usage="%(prog)s [OPTION ...] GAMES.pgn ...",
        help="analyse games: annotated PGN, JSON, HTML report",
        description="Write NAME.html, NAME.analysed.pgn and NAME.analysis.json for NAME.pgn.",
        epilog="example: pythagoras analyse games.pgn --side white",
    )
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="GAMES.pgn",
        help="PGN files, also compressed; - for standard input",
    )
    add_search_options(parser, LIMIT, "number of processes (one per core)")
    add(
        "--multipv", type=engine_option("MultiPV"), default=2, metavar="N",
        help="number of lines per position (2)",
    )  # fmt: skip
    add(
        "--threats", action="store_true",
        help="show threats, by a search after a pass with a tenth of the nodes",
    )  # fmt: skip
    add("--side", metavar="WHO", default="", help="judge only white, black or a player")
    add("--games", metavar="A-B", help="only these games of a file, such as 3-10")
    add(
        "--thresholds",
        metavar="A,B,C",
        help="minimum loss of ?!, ? and ??, in win percentage points (5,10,15)",
    )
    add_evaluate(parser)
    add_options(parser)
    add("-o", "--output", metavar="DIR", type=Path, help="output folder (that of the games)")
    add("--force", action="store_true", help="replace existing files")
    add("--json", metavar="FILE", help="write the JSON to FILE; - for standard output")
    add(
        "--html-games",
        type=integer(),
        metavar="N",
        help="maximum games in the HTML report (500); --no-html: no report",
    )
    add("--no-html", action="store_true", help=argparse.SUPPRESS)
    add("--quiet", action="store_true", help="print errors only")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Analyse the games that ``options`` name; return the exit status.

    The status is 1 if a game or a part of one could not be read. Raises `UciError` if the command
    cannot be run.
    """
    from uci.apps.analyse.progress import AnalysisProgress
    from uci.apps.analyse.sources import find_sources
    from uci.apps.games.analysis_document import document_start

    settings = _settings(options)
    scheduler = find_scheduler(options, "jobs", "tables", "evaluate")
    html = _wants_page(options)

    def opening(name: str) -> str:
        return document_start(settings.head(name))

    sources, finished = find_sources(
        options.files, options.output, options.json, html, options.force, opening
    )
    with AnalysisProgress(options.quiet) as progress:
        for source in finished:
            progress.note(printable(f"{source.name}: already analysed"))
        try:
            return _analyse(sources, settings, scheduler, progress)
        except (KeyboardInterrupt, SystemExit) as stop:
            kept = any(each.has_records or each.is_finished(opening) for each in sources)
            progress.note(GOES_ON if kept else STOPPED)
            return status_of(stop)
        except BrokenPipeError:  # no error to report: the reader has closed the pipe
            raise
        except OSError as error:
            name = f"{shorten(str(error.filename))}: " if error.filename else ""
            raise UciError(f"{name}{reason(error)}") from None


def _analyse(
    sources: Iterable["Source"],
    settings: "AnalysisSettings",
    scheduler: "Scheduler | None",
    progress: "AnalysisProgress",
) -> int:
    """Analyse the games of all sources; return the exit status."""
    from uci.apps.analyse.source_analysis import SourceAnalysis
    from uci.apps.engines.make_executor import make_executor

    status, reports = 0, []
    with make_executor(settings.jobs, scheduler, progress.say) as executor:
        progress.executor = executor
        for source in sources:
            games = SourceAnalysis(source.name, settings, executor, progress)
            with source.open() as (stream, outputs):
                games.analyse(stream, outputs)
            written = source.written if games.analysed else ""
            say = progress.note if games.analysed else progress.say
            say(printable(f"{source.name}: {games}{written}"))
            if games.analysed and source.report:
                reports.append(source.report)
            status |= int(bool(games.unread or games.partial) or not games.analysed)
        for line in executor.summary:
            progress.note(line)
    for report in reports:
        progress.note(printable(f"HTML report: {report}"))
    return status


def _wants_page(options: argparse.Namespace) -> bool:
    """Return whether to write an HTML report; print a message if that is not possible."""
    from importlib.util import find_spec

    if options.no_html or find_spec("jinja2") is not None:
        return not options.no_html
    if options.html_games:
        raise UciError(f"--html-games: {missing('jinja2', 'analysis')}")
    if not options.quiet:
        print(f"pythagoras: no HTML report: {missing('jinja2', 'analysis')}", file=sys.stderr)
    return False


def _settings(options: argparse.Namespace) -> "AnalysisSettings":
    from engine.cores import cores
    from uci.apps.analyse.analysis_settings import (
        AnalysisSettings,
        Numbers,
        digest_of,
        parse_numbers,
        parse_thresholds,
        threat_limit_of,
    )
    from uci.apps.analyse.lichess import THRESHOLDS
    from uci.apps.analyse.report.page import MOST_GAMES

    threads = options.threads or THREADS
    limit = limit_of(options, LIMIT)
    evaluate = options.evaluate or ""
    return AnalysisSettings(
        limit=limit,
        jobs=options.jobs or max(1, cores() // threads),
        side=options.side.strip(),
        games=parse_numbers(options.games) if options.games else Numbers(),
        thresholds=parse_thresholds(options.thresholds) if options.thresholds else THRESHOLDS,
        tables=options.tables,
        html_games=options.html_games or MOST_GAMES,
        multipv=options.multipv,
        hash=options.hash or HASH,
        threads=threads,
        evaluate=evaluate,
        evaluation=digest_of(evaluate),
        threat_limit=threat_limit_of(limit) if options.threats else None,
    )
