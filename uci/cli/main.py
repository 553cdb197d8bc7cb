"""The ``pythagoras`` command: the UCI loop, or a task such as a search, perft or bench."""

import atexit
import contextlib
import ctypes
import gc
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from uci.apps.console.signals import INTERRUPTED, exit_on_signals
from uci.apps.console.streams import open_missing, own_output, print_any_letter, write_out
from uci.cli.parser import argument_parser, commands_of
from uci.errors import UciError
from uci.protocol.commands import Word, parse_command
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
        parser = argument_parser()
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
                from uci.cli.warm import warm

                return warm(session)
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
    *settings, task = commands_of(options)
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
