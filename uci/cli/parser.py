"""The arguments of the ``pythagoras`` command, and the UCI commands that they stand for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from uci import __version__
from uci.protocol.commands import (
    Command,
    SetOption,
    parse_bench,
    parse_go,
    parse_perft,
    parse_position,
    parse_speedtest,
)

if TYPE_CHECKING:
    import argparse


def argument_parser() -> "argparse.ArgumentParser":
    """Return the parser of the command line, with the arguments of every task."""
    import argparse

    from uci.apps.analyse import command as analyse_command
    from uci.apps.analyse.report import command as report_command
    from uci.apps.analyse.verify import command as verify_command
    from uci.apps.console.arguments import add_evaluate
    from uci.apps.datagen import command as datagen_command
    from uci.apps.doctor import command as doctor_command
    from uci.apps.engines import certificates_command
    from uci.apps.epd import command as epd_command
    from uci.apps.lab import command as pvlab_command
    from uci.apps.play import command as play_command
    from uci.apps.prove import command as prove_command
    from uci.apps.scores import command as scores_command
    from uci.cli.completion import SHELLS, PrintCompletion

    parser = argparse.ArgumentParser(
        prog="pythagoras",
        description="A UCI chess engine. Without arguments it reads UCI commands from standard"
        " input."
        " Run 'pythagoras TASK --help' for the options of a task.",
        epilog="example: pythagoras go depth 14",
    )
    parser.add_argument("--version", action="version", version=f"pythagoras {__version__}")
    parser.add_argument(
        "--print-completion", choices=SHELLS, metavar="SHELL", action=PrintCompletion,
        help=f"print the completion script for {', '.join(SHELLS)}",
    )  # fmt: skip
    add_evaluate(parser, default=None)
    parser.set_defaults(run=None, fen=None, hash=None, threads=None, chess960=False)
    tasks = parser.add_subparsers(dest="task", metavar="TASK")

    go = tasks.add_parser(
        "go",
        help="search a position; without a limit, until Ctrl-C",
        epilog="example: pythagoras go depth 14 --hash 256",
    )
    go.add_argument(
        "limit", nargs="*", help="limits as in UCI: depth 12, movetime 1000, nodes 50000 ..."
    )
    go.add_argument("--hash", metavar="MB", help="size of the transposition table in MiB (16)")
    perft = tasks.add_parser(
        "perft",
        help="count the leaf nodes of the tree of legal moves",
        epilog="example: pythagoras perft 6 --threads 2",
    )
    perft.add_argument("depth", help="depth in plies")
    perft.add_argument("--divide", action="store_true", help="print the count of each root move")
    perft.add_argument("--hash", metavar="MB", help="size of the perft hash table in MiB (0)")
    for task in (go, perft):
        task.add_argument("--fen", help="position (the starting position)")
        task.add_argument(
            "--chess960", action="store_true", help="write castling as king takes rook"
        )
    bench = tasks.add_parser(
        "bench",
        help="search fixed positions: node count and speed",
        epilog="example: pythagoras bench 12",
    )
    bench.add_argument("depth", nargs="?", default="", help="depth in plies (17)")
    speedtest = tasks.add_parser(
        "speedtest",
        help="search games with all cores: nodes per second, hash use",
        epilog="example: pythagoras speedtest 8 1024 60",
    )
    speedtest.add_argument(
        "numbers", nargs="*", metavar="N",
        help="threads (default: all cores), MiB of hash (128 a thread), seconds (150)",
    )  # fmt: skip
    for task in (go, perft, bench):
        task.add_argument("--threads", metavar="N", help="number of threads (1)")
    for task in (go, bench):
        add_evaluate(task)

    play_command.add_parser(tasks)
    analyse_command.add_parser(tasks)
    report_command.add_parser(tasks)
    verify_command.add_parser(tasks)
    scores_command.add_parser(tasks)
    epd_command.add_parser(tasks)
    prove_command.add_parser(tasks)
    pvlab_command.add_parser(tasks)
    warm = tasks.add_parser(
        "warm",
        help="compile the engine now, so that later starts are fast",
        epilog="example: pythagoras warm",
    )
    add_evaluate(warm)
    certificates_command.add_parser(tasks)
    datagen_command.add_parser(tasks)
    doctor_command.add_parser(tasks)
    return parser


def commands_of(options: "argparse.Namespace") -> Iterator[Command]:
    """Yield the UCI commands of a task such as ``go``: options, position, then the task itself.

    Raises `UciError` for arguments that are wrong.
    """
    if options.task == "go" and options.hash is not None:
        yield SetOption("Hash", options.hash)
    if options.threads is not None:
        yield SetOption("Threads", options.threads)
    if options.chess960:
        yield SetOption("UCI_Chess960", "true")
    if options.fen is not None:
        yield parse_position(f"fen {options.fen}")
    match options.task:
        case "go":
            yield parse_go(" ".join(options.limit), strict=True)
        case "perft":
            words = [options.depth or "''", *(["divide"] if options.divide else [])]
            words += ["hash", "0" if options.hash is None else options.hash]
            yield parse_perft(" ".join(words))
        case "bench":
            yield parse_bench(options.depth)
        case "speedtest":
            yield parse_speedtest(" ".join(options.numbers))
