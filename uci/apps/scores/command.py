"""The command ``pythagoras scores``: positions in; their scores, best moves and lines out."""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import MAX_JOBS, Tasks, engine_option, integer
from uci.apps.console.signals import status_of
from uci.apps.engines.scheduler import add_options, find_scheduler
from uci.chess_io.compressed import SUFFIXES
from uci.errors import UciError

if TYPE_CHECKING:
    from uci.apps.scores.record_formats import Head, RecordFormat
    from uci.apps.scores.resumable_output import ResumableOutput
    from uci.apps.scores.scores_progress import ScoresProgress

NODES = 100_000
"""Nodes per position without ``--nodes`` and ``--depth``."""

MAX_HASH, NODES_PER_MB = 16, 50_000
"""MiB of a table without ``--hash``: clearing more than a search fills takes time."""


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    from engine.board.types import MAX_PLY

    parser = tasks.add_parser(
        "scores",
        help="score positions: a file of any size",
        description="Score each position of a file of FEN or EPD, as the first of a new game.",
        epilog="example: pythagoras scores positions.epd --nodes 1000 -o positions.jsonl",
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="EPD or FEN lines; - for standard input")
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument(
        "--nodes", type=integer(), metavar="N", help=f"nodes per position ({NODES})"
    )
    limits.add_argument(
        "--depth", type=integer(1, MAX_PLY - 1), metavar="PLIES", help="plies per position"
    )
    add(
        "--hash", type=engine_option("Hash"), metavar="MB",
        help="hash size of each engine in MiB (1 per 50,000 nodes, at most 16)",
    )  # fmt: skip
    add("--jobs", type=integer(1, MAX_JOBS), metavar="N", help="number of processes (one per core)")
    add_options(parser)
    formats = parser.add_mutually_exclusive_group()
    for name, text in (
        ("json", "JSON lines, the default"),
        ("csv", "comma-separated values"),
        ("epd", "EPD with ce, dm, acd, acn, pm and pv"),
    ):
        formats.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, help=f"write {text}"
        )
    add(
        "-o", "--output", type=Path, metavar="OUT",
        help="output file; the same command resumes it",
    )  # fmt: skip
    add("--force", action="store_true", help="replace existing files")
    add("--quiet", action="store_true", help="print errors only")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Score the positions; return the exit status: 1 where a line has no score.

    Raises `UciError` for what cannot be done.
    """
    from engine.cores import cores
    from uci.apps.engines.make_executor import make_executor
    from uci.apps.scores.scored_file import ScoredFile, writing
    from uci.apps.scores.scores_progress import ScoresProgress

    scheduler = find_scheduler(options, "jobs")
    limit = ("depth", options.depth) if options.depth else ("nodes", options.nodes or NODES)
    hash_mb = options.hash or default_hash(limit)
    format_, head, output = _format(options, limit, hash_mb)
    with ScoresProgress(options.quiet) as progress:
        if scheduler is None:
            _compile(progress)
        try:
            with (
                make_executor(options.jobs or cores(), scheduler, progress.say) as executor,
                output.open() if output else nullcontext(sys.stdout.buffer) as stream,
            ):
                progress.executor = executor
                if output and output.known:
                    progress.note("continuing")
                progress.begin(str(progress), _size(options.file))
                write = writing(stream, str(options.output or "the output"), output)
                file = ScoredFile(options.file, limit, hash_mb, executor, progress)
                file.write(format_, head, write, output.known if output else 0)
                for line in executor.summary:
                    progress.note(line)
        except (KeyboardInterrupt, SystemExit) as stop:
            progress.note("stopped" + (": the same command continues from here" if output else ""))
            return status_of(stop)
        progress.finish()
    return int(progress.errors > 0)


def default_hash(limit: tuple[str, int]) -> int:
    """Return the default of ``--hash``, in MiB, for a limit."""
    name, number = limit
    return MAX_HASH if name == "depth" else max(1, min(MAX_HASH, -(-number // NODES_PER_MB)))


def _format(
    options: argparse.Namespace, limit: tuple[str, int], hash_mb: int
) -> "tuple[RecordFormat, Head, ResumableOutput | None]":
    """Return the output format, the facts of its first line, and the output file, if any."""
    from uci.apps.engines.compatibility import engine_facts
    from uci.apps.scores.record_formats import FORMATS
    from uci.apps.scores.resumable_output import ResumableOutput

    name = options.format or "json"
    head: Head = {
        "source": Path(options.file).name,
        "engine": engine_facts(),
        "limit": dict([limit]),
        "hash": hash_mb,
    }
    if options.output is not None:
        return (
            FORMATS[name],
            head,
            ResumableOutput(options.output, {"format": name, **head}, options.force),
        )
    if options.force:
        raise UciError("--force cannot be used without -o")
    return FORMATS[name], head, None


def _compile(progress: "ScoresProgress") -> None:
    """Load or compile the kernels before any process is started."""
    import uci.apps.engines.position_scorer  # noqa: F401  (declares its entry points)
    from uci.apps.engines.warm_up import compile_kernels

    compile_kernels(progress.note)


def _size(name: str) -> int | None:
    """Return the size of a file in bytes; None for a pipe or a compressed file."""
    path = Path(name)
    return path.stat().st_size if path.is_file() and path.suffix not in SUFFIXES else None
