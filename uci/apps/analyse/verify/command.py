"""The command ``pythagoras verify``: computes a recorded analysis again, and compares."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import MAX_JOBS, Tasks, add_evaluate, integer
from uci.apps.console.signals import INTERRUPTED
from uci.apps.console.streams import print_now
from uci.apps.engines.scheduler import add_options, find_scheduler
from uci.errors import counted, shorten

if TYPE_CHECKING:
    from uci.apps.analyse.verify.verification import Verification
    from uci.apps.console.terminal import StatusBar
    from uci.apps.engines.executor import TaskExecutor

SAMPLE = 20
"""Chunks, or scored positions, that are searched again without ``--sample``."""

MOST_NAMED = 20
"""Differences that are printed; more are counted."""

DIFFERENT, INCOMPARABLE = 1, 3
"""Exit statuses."""


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "verify",
        help="compute recorded analysis again, and compare",
        description="Search positions of NAME.analysis.json, or of the JSON of `scores`, again and"
        " compare. Exit status: 0 if all is equal, 1 if something differs, 3 if this installation"
        " cannot compare.",
        epilog="example: pythagoras verify games.analysis.json --sample 20",
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="NAME.analysis.json, or scores")
    add(
        "--sample", type=integer(), metavar="N", default=SAMPLE,
        help=f"chunks of ten positions, or scores, drawn at random ({SAMPLE})",
    )  # fmt: skip
    add("--seed", type=integer(0), metavar="N", help="seed of the sample (random)")
    add("--jobs", type=integer(1, MAX_JOBS), metavar="N", help="number of processes (one per core)")
    add_evaluate(parser)
    add_options(parser)
    add("--quiet", action="store_true", help="print only differences and errors")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Verify a file; return the exit status. Raises `UciError`."""
    import random

    from engine.cores import cores
    from uci.apps.analyse.verify.verification import Incomparable, open_verification
    from uci.apps.console.terminal import StatusBar
    from uci.apps.engines.make_executor import make_executor

    scheduler = find_scheduler(options, "jobs", "evaluate")
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    with StatusBar(options.quiet) as bar:
        try:
            work = open_verification(
                options.file, random.Random(seed), options.sample, options.evaluate or ""
            )
        except Incomparable as why:
            bar.say(f"{shorten(str(options.file))}: cannot compare: {why}")
            return INCOMPARABLE
        bar.note(f"{shorten(str(options.file))}: {work.plan}, seed {seed}")
        try:
            with make_executor(options.jobs or cores(), scheduler, bar.say) as executor:
                found = _count(work, executor, bar)
        except KeyboardInterrupt:
            return INTERRUPTED
        if found > MOST_NAMED:
            print(f"{found - MOST_NAMED:,} more differences")
        count = counted(found, "difference")
        bar.note(f"{work.done}: {count if found else 'all equal'}")
    return DIFFERENT if found else 0


def _count(work: "Verification", executor: "TaskExecutor", bar: "StatusBar") -> int:
    """Print the differences as they are found, and return their number.

    What is derived and also searched again is compared twice, and counts once.
    """
    texts = set[str]()
    for found in work.results(executor):
        for text in dict.fromkeys(map(str, found)):
            if text not in texts and len(texts) < MOST_NAMED:
                print_now(text)
            texts.add(text)
        bar.update(f"{work.done}, {counted(len(texts), 'difference')}")
    return len(texts)
