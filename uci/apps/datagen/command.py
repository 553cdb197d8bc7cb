"""The command ``pythagoras datagen``: generates training games by self-play."""

import argparse
import math
import sys
from contextlib import closing
from dataclasses import asdict, fields, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import Tasks, integer, refuse_unused
from uci.apps.console.streams import print_now
from uci.apps.engines.scheduler import add_options, find_scheduler
from uci.apps.engines.warm_up import compile_kernels
from uci.errors import UciError, counted, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.datagen.factory import GameTask, Player, Settings
    from engine.syzygy.wdl_tables import Tablebases
    from uci.apps.engines.scheduler import Scheduler

_MAX_SEED = (1 << 63) - 1

_USED = {
    "stats": {"file"},
    "merge": {"file", "seed"},
    "relabel": {"file", "nodes", "keep_pvs", "threads"},
    "export": {"file", "force"},
}
"""The arguments that each mode uses."""


def add_parser(tasks: Tasks) -> None:
    """Add the task to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "datagen",
        usage="%(prog)s [OPTION ...] FILE",
        help="generate training games by self-play",
        description="Play games against itself and append them to FILE, up to a goal or Ctrl-C. "
        "Run the same command again to resume.",
        epilog="example: pythagoras datagen games.bin --hours 8",
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="file of games, new or to be continued")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--games", type=integer(), metavar="N", help="stop when FILE has N games")
    what.add_argument(
        "--positions", type=integer(), metavar="N", help="stop when FILE has N positions"
    )
    what.add_argument("--hours", type=hours, metavar="H", help="stop after H hours")
    what.add_argument("--stats", action="store_true", help="print statistics of FILE")
    what.add_argument(
        "--merge", type=Path, nargs="+", metavar="IN", help="merge the files IN into FILE, shuffled"
    )
    what.add_argument(
        "--relabel", type=Path, metavar="IN", help="rescore the games of IN into FILE"
    )
    what.add_argument(
        "--export", type=Path, metavar="OUT", help="write FILE as NAME.plain, .pgn or .viriformat"
    )
    add("--force", action="store_true", help="replace the existing file of --export")
    add("--nodes", type=integer(50, 10**9), metavar="N", help="nodes per position (5000)")
    add("--seed", type=integer(0, _MAX_SEED), metavar="S", help="random seed (1)")
    add(
        "--chess960",
        type=permille,
        metavar="SHARE",
        help="share of games of Chess960, 0 to 1 (0.1)",
    )
    add("--random-moves", type=permille, metavar="SHARE", help="share of random moves, 0 to 1 (0)")
    add(
        "--keep-pvs",
        action="store_const",
        const=1,
        help="store the PV of each search too: three times the size",
    )
    add("--tables", metavar="DIR", help="folders of Syzygy tablebases, to adjudicate games")
    add("--threads", type=integer(1, 1024), metavar="N", help="number of threads (all cores)")
    add_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the mode that ``options`` select; return the exit status, 1 if a source is damaged.

    Raises `UciError` if it cannot be run.
    """
    scheduler = find_scheduler(options, "stats", "merge", "relabel", "export", "tables", "threads")
    for mode, used in _USED.items():
        if getattr(options, mode):
            refuse_unused(options, f"with --{mode}", {mode, *used})
    status = 0
    try:
        if options.stats:
            from uci.apps.datagen.stats import stats_lines

            for line in stats_lines(options.file):
                print_now(line)
        elif options.merge:
            status = _merge(options)
        elif options.relabel:
            status = _relabel(options)
        elif options.export:
            status = _export(options)
        elif options.force:
            raise UciError("--force cannot be used without --export")
        else:
            _play(options, scheduler)
    except BrokenPipeError:
        raise
    except OSError as error:
        name = shorten(str(error.filename or options.file))
        raise UciError(f"{name}: {error.strerror}") from None
    except (ValueError, MemoryError) as error:
        raise UciError(str(error)) from None
    return status


def _play(options: argparse.Namespace, scheduler: "Scheduler | None") -> None:
    """Play games until the goal is reached."""
    from engine.datagen.factory import Player, Settings
    from engine.datagen.game_file import Appender, FormatError, read_header
    from uci.apps.datagen.fill_file import fill, fill_by_workers
    from uci.apps.datagen.game_progress import GameProgress

    settings = Settings()
    try:
        settings = Settings(**read_header(options.file)[0]["settings"])
        compile_kernels(print_now)  # `Appender` uses them to read the last games of the file
    except (KeyError, TypeError):
        raise UciError(
            f"{options.file} was written by --merge or --relabel: games cannot be added to it"
        ) from None
    except (FileNotFoundError, FormatError):
        pass  # a new file, or an invalid one, which `Appender` reports
    except ValueError as error:
        raise UciError(f"{options.file}: {error}") from None
    names = {field.name for field in fields(Settings)}
    given = {k: v for k, v in vars(options).items() if k in names and v is not None}
    tables = _open_tables(options.tables)
    if tables is not None:
        given["table_pieces"] = tables.largest
    elif settings.table_pieces:
        raise UciError(
            f"{options.file} was written with tablebases of up to {settings.table_pieces} pieces:"
            " give their folder with --tables"
        )
    settings = replace(settings, **given)

    def tasks(first: int) -> "Iterator[GameTask]":
        return (partial(Player.play, number=number) for number in count(first))

    facts = {"evaluation": _evaluation(), "settings": asdict(settings)}
    with closing(Appender(options.file, facts)) as file:
        progress = GameProgress(
            file.games,
            file.positions,
            options.games,
            options.positions,
            None if options.hours is None else options.hours * 3600,
        )
        if scheduler is None:
            compile_kernels(print_now)
            fill(file, _players(options, settings, tables), tasks, progress)
        else:
            fill_by_workers(file, settings, scheduler, progress)


def _open_tables(folders: str | None) -> "Tablebases | None":
    """Open the tables in ``folders``, unless it is empty. Raises `UciError`."""
    if folders is None:
        return None
    from engine.syzygy.probe_entry import load_probe
    from uci.chess_io.syzygy import open_tables

    opened = open_tables(folders)
    print_now(opened.summary)
    if opened.results is None or not load_probe():
        raise UciError(f"{shorten(folders)}: none of these tables can be probed by the search")
    return opened.results


def _players(
    options: argparse.Namespace, settings: "Settings", tables: "Tablebases | None" = None
) -> "list[Player]":
    from engine.cores import cores
    from engine.datagen.factory import Player

    return [Player(settings, tables=tables) for _ in range(options.threads or cores())]


def _relabel(options: argparse.Namespace) -> int:
    """Rescore the positions of another file; return the exit status."""
    from engine.datagen.factory import Player, Settings
    from engine.datagen.game_file import Appender, open_games, read_header, split
    from uci.apps.datagen.fill_file import fill
    from uci.apps.datagen.game_progress import GameProgress

    facts, whole = read_header(options.relabel)
    settings = Settings(nodes=options.nodes or Settings().nodes, keep_pvs=options.keep_pvs or 0)
    names = "nodes", "hard_factor", "hash", "keep_pvs"
    search = {name: getattr(settings, name) for name in names}
    most = 0
    for block in open_games(options.relabel):
        most += block.games
        whole += block.end - block.start
    damaged = options.relabel.stat().st_size - whole

    def tasks(first: int) -> "Iterator[GameTask]":
        games = (game for block in open_games(options.relabel) for game in split(block))
        rest = islice(games, first, None)
        return (partial(Player.score_again, words=game) for game in rest)

    facts = {"evaluation": _evaluation(), "search": search, "relabelled": facts}
    compile_kernels(print_now)
    with closing(Appender(options.file, facts)) as file:
        progress = GameProgress(file.games, file.positions, most)
        fill(file, _players(options, settings), tasks, progress)
    return _report_damage({options.relabel: damaged} if damaged > 0 else {})


def _merge(options: argparse.Namespace) -> int:
    from engine.datagen.game_file import read_header
    from engine.datagen.merge import merge

    for path in options.merge:
        read_header(path)  # refuses other files before anything is compiled
    compile_kernels(print_now)
    made = merge(options.file, options.merge, 1 if options.seed is None else options.seed)
    print_now(
        f"{counted(made.games, 'game')}, {counted(made.positions, 'position')};"
        f" {counted(made.twice, 'duplicate game')} dropped"
    )
    return _report_damage(made.damaged)


def _export(options: argparse.Namespace) -> int:
    from uci.apps.datagen.export import export

    made = export(options.file, options.export, options.force)
    left_out = made.positions - made.written
    print_now(
        f"{counted(made.games, 'game')}, {counted(made.written, 'position')}; {left_out:,} left out"
    )
    return _report_damage({options.file: made.damaged} if made.damaged else {})


def _report_damage(damaged: dict[Path, int]) -> int:
    """Report the number of damaged bytes of each file; return the exit status."""
    for path, size in damaged.items():
        print(f"pythagoras: {path}: {size:,} damaged bytes were skipped", file=sys.stderr)
    return int(bool(damaged))


def hours(text: str) -> float:
    """Return a positive, finite number of hours, for argparse."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of hours")
    return value


def permille(text: str) -> int:
    """Return a share between 0 and 1 in permille, for argparse."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return round(1000 * value)


def _evaluation() -> str:
    """Return the name of the evaluation, for the header of a file of games."""
    from engine.evaluation.network import default_network, fingerprint

    return f"network {fingerprint(default_network())}"
