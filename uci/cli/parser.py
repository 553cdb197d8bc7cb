"""The ``pythagoras`` command: the UCI loop, or a task such as a search, perft or bench."""

import atexit
import contextlib
import ctypes
import gc
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from uci import __version__
from uci.apps.console.signals import INTERRUPTED, exit_on_signals
from uci.apps.console.streams import open_missing, own_output, print_any_letter, write_out
from uci.errors import UciError
from uci.protocol.commands import (
    Command,
    SetOption,
    Word,
    parse_bench,
    parse_command,
    parse_go,
    parse_perft,
    parse_position,
    parse_speedtest,
)
from uci.protocol.reader import polled_input
from uci.protocol.writer import Writer, exit_process
from uci.session.loader import Loader
from uci.session.session import Session

if TYPE_CHECKING:
    import argparse

_M_ARENA_MAX = -8
"""glibc's ``M_ARENA_MAX``: the option of ``mallopt`` for the maximum number of heaps."""

_EVALUATING = (None, "go", "bench", "warm", "analyse", "verify")
"""The tasks that can use an evaluation of the user's own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments``, by default the process's; return the exit status.

    If the engine was loaded, it ends the process instead of returning.
    """
    words = [*sys.argv[1:]] if arguments is None else [*arguments]
    open_missing()
    print_any_letter()
    client = _is_for_client(words)
    writer = Writer(own_output() if client else sys.stdout.buffer)
    loader = Loader(preload=("uci.session.go", "uci.session.tasks"))
    _configure_process(loader)
    session = Session(writer, loader, patient=not client)
    try:
        exit_on_signals(work=not client)
        status = _run_task(words, session) if words else _run_uci(session)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except SystemExit as end:  # a signal; argparse after --help or wrong usage
        status = end.code if isinstance(end.code, int) else 1
    if loader.started:
        _exit(status, orderly=loader.done.is_set() and not session.busy())
    return write_out(status)


def _is_for_client(words: Sequence[str]) -> bool:
    """Return whether these arguments start the UCI engine."""
    return (
        not words
        or (words[0] == "--evaluate" and len(words) == 2)
        or (words[0].startswith("--evaluate=") and len(words) == 1)
    )


def _configure_process(loader: Loader) -> None:
    """Apply settings that affect the whole process, which is ours alone."""
    # While numba compiles, each switch between threads takes this long, and an answer needs
    # several: answers are up to 25 ms late with Python's default of 5 ms, and 10 ms with this.
    sys.setswitchinterval(0.001)
    # The compiler's objects stay alive: a garbage collection of them costs 150 ms during a move.
    loader.when_done(gc.freeze)
    # By default glibc gives new threads heaps of their own, up to eight for each core. Each search
    # runs in a new thread, and the memory that stays in these heaps adds up over thousands.
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # not glibc
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _exit(status: int, orderly: bool) -> None:
    """End the process at once.

    Python's own shutdown takes a quarter of a second when numba is loaded, and crashes with threads
    in machine code. Exit handlers only run in an ``orderly`` exit, without such threads.
    """
    if orderly:
        atexit._run_exitfuncs()
    exit_process(status)


def _run_uci(session: Session) -> int:
    session.loader.start()
    session.run(polled_input(sys.stdin.buffer, session.writer))
    return 0


def _run_task(words: Sequence[str], session: Session) -> int:
    """Run the subcommand of the command line; return the exit status."""
    try:
        if " " in words[0]:
            return _run_lines(words, session)
        parser = _parser()
        options = parser.parse_args(words)
        if options.evaluate is not None:
            if options.task not in _EVALUATING:
                raise UciError(f"--evaluate cannot be used with {options.task}")
            if options.task not in ("analyse", "verify"):
                _use_evaluation(options.evaluate, session)
        match options.task:
            case None if options.evaluate is None:
                parser.error("the following arguments are required: TASK")
            case None:
                return _run_uci(session)
            case "warm":
                return _warm(session)
            case "play":
                from uci.apps.play import command as play_command

                return play_command.run(options, session.loader)
            case "pv-lab" if options.variant:
                from uci.apps.lab import command as pvlab_command
                from uci.apps.lab import compare_variants

                pvlab_command.check_options(options)
                session.loader.load = compare_variants.loader(options.variant)
                return _run_uci(Session(session.writer, session.loader))
            case _ if options.run:
                status: int = options.run(options)
                return status
            case _:
                return _run_commands(options, session)
    except UciError as error:
        _print_cause(error, words, session)
        print(f"pythagoras: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has closed the pipe
        return 1
    except OSError as error:  # a file that cannot be used, or the output
        name, reason = error.filename or "standard output", error.strerror or error
        print(f"pythagoras: {name}: {reason}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"pythagoras: {error} (run pythagoras doctor to find the cause)", file=sys.stderr)
        return 1


def _use_evaluation(text: str, session: Session) -> None:
    """Make the session play with the user's evaluation ``FILE:FUNCTION``. Raises `UciError`."""
    from uci.session.own_evaluation import own_evaluation

    own = own_evaluation(text)
    session.loader.load, session.loader.evaluation = own.load, own.label


def _print_cause(error: UciError, words: Sequence[str], session: Session) -> None:
    """Print the error in a user's own code as Python does, and for a client as one line."""
    if error.__cause__ is None:
        return
    from uci.session.own_evaluation import UserCodeError, print_error

    if isinstance(error, UserCodeError):
        print_error(error)
        if _is_for_client(words):
            session.say(str(error))


def _run_commands(options: "argparse.Namespace", session: Session) -> int:
    """Execute the UCI commands of a subcommand such as ``go``; return the exit status."""
    *settings, task = _commands(options)
    for command in settings:
        session.execute(command)
    session.loader.start()
    try:
        session.execute(task)
        session.join()
    except KeyboardInterrupt:
        session.interrupt()
        return 0 if session.completed() else INTERRUPTED
    return 0 if session.completed() else 1


def _run_lines(lines: Sequence[str], session: Session) -> int:
    """Execute the UCI commands of the arguments, each to its end, as testing frameworks need it."""
    session.loader.start()
    try:
        for command in map(parse_command, lines):
            if command == Word("quit"):
                break
            if command is not None:
                session.execute(command)
                session.join()
    except KeyboardInterrupt:
        session.interrupt()
        return INTERRUPTED
    session.wait()
    return 0 if session.worker is None or session.completed() else 1


def _warm(session: Session) -> int:
    """Load the kernels, or compile them for all later starts, and print the progress.

    Return the exit status: 1 if they cannot be loaded, or the compiled code cannot be saved.
    """
    from uci.session.backend import Backend, Notice

    started, writer, loader = perf_counter(), session.writer, session.loader
    load = loader.load

    def progress(done: int, total: int, name: str) -> None:
        writer.lines(f"[{done:2}/{total}] {name or 'done'}")

    def load_all(_: Notice) -> Backend:
        import engine.datagen.survey  # noqa: F401  (compiles the reader of training games)
        from engine.syzygy.probe_entry import load_probe

        backend = load(writer.lines, progress)
        load_probe()
        return backend

    # Compile in the loader's thread: in this one, signals would be handled seconds late.
    loader.load = load_all
    loader.start()
    while not loader.done.wait(0.2):
        writer.check()
    if loader.error is not None:  # print one line, no traceback
        print(f"pythagoras: {type(loader.error).__name__}: {loader.error}", file=sys.stderr)
        return 1
    writer.lines(f"ready to play after {perf_counter() - started:.1f} s")
    if lost := _lost_code():
        print(f"pythagoras: {lost}", file=sys.stderr)
        return 1
    return 0


def _lost_code() -> str:
    """Return why the compiled code could not be saved, and what to do; empty if it was saved."""
    from engine.jit import kernel
    from engine.user_folders import cache_folder, cache_variable

    if not kernel.COMPILED or not (reason := kernel.unkept()):
        return ""
    try:
        place = f" in {cache_folder()}"
    except RuntimeError:  # there is no home directory
        place = ""
    return (
        f"could not save the compiled code{place}: {reason}; every start will compile again."
        f" Set {cache_variable()} to a folder that you can write to, or run pythagoras doctor"
    )


def _commands(options: "argparse.Namespace") -> Iterator[Command]:
    """Yield the UCI commands that a subcommand stands for: options, position, then the task."""
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


def _parser() -> "argparse.ArgumentParser":
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
