"""Command-line arguments: types for argparse, and the check for unused options."""

import argparse
from collections.abc import Callable, Collection
from typing import TypeAlias

from uci.errors import UciError, one_line, shorten
from uci.protocol.commands import MAX_NUMBER, MAX_TIME
from uci.protocol.options import Options

MAX_JOBS = 512
"""Maximum number of processes of a command on this machine."""

STREAM = "-"
"""The file name that stands for standard input or output."""

HASH, THREADS = 16, 1
"""Default MiB of hash and number of threads of each engine."""

Tasks: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The subcommands of ``pythagoras``, to which each command adds its own parser."""


def integer(low: int = 1, high: int | None = None) -> Callable[[str], int]:
    """Return an argparse type for whole numbers from ``low`` to ``high``.

    Without ``high``, numbers above `MAX_NUMBER` are clamped to it.
    """
    expected = f"{low} or more" if high is None else f"{low} to {high:,}"

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"{shorten(text)}: expected {expected}")
        return number if high is not None else min(number, MAX_NUMBER)

    return parse


def engine_option(name: str) -> Callable[[str], int]:
    """Return an argparse type for the values of the engine's spin option ``name``."""

    def parse(text: str) -> int:
        try:
            _, value = Options().parse(name, text)
        except UciError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        assert isinstance(value, int)
        return value

    return parse


def tables(text: str) -> str:
    """Return ``text``, for argparse, if it names folders of Syzygy tablebases or is empty."""
    from uci.chess_io.syzygy import open_tables

    try:
        if text:
            open_tables(one_line(text)).close()
    except UciError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def add_search_options(parser: argparse.ArgumentParser, limit: tuple[str, int], jobs: str) -> None:
    """Add limits, of which ``limit`` is the default, and the engines' options to ``parser``.

    ``jobs`` is the help of ``--jobs``. Options that are not given are None or empty.
    """
    limits = parser.add_mutually_exclusive_group()
    for name, high, metavar, unit in (
        ("nodes", None, "N", "nodes"),
        ("depth", None, "PLIES", "plies"),
        ("movetime", MAX_TIME, "MS", "milliseconds"),
    ):
        text = f"{unit} per position" + (f" ({limit[1]})" if name == limit[0] else "")
        limits.add_argument(f"--{name}", type=integer(1, high), metavar=metavar, help=text)
    add = parser.add_argument
    add(
        "--hash",
        type=engine_option("Hash"),
        metavar="MB",
        help=f"hash size of each engine in MiB ({HASH})",
    )
    add(
        "--threads",
        type=engine_option("Threads"),
        metavar="N",
        help=f"threads of each engine ({THREADS})",
    )
    add("--jobs", type=integer(1, MAX_JOBS), metavar="N", help=jobs)
    add("--tables", type=tables, metavar="DIR", default="", help="folders of Syzygy tablebases")


def add_evaluate(parser: argparse.ArgumentParser, default: str | None = argparse.SUPPRESS) -> None:
    """Add ``--evaluate``; the ``default`` of a task's parser keeps what was given before TASK."""
    parser.add_argument(
        "--evaluate", metavar="FILE:FUNCTION", default=default,
        help="a Python function that evaluates in place of the network",
    )  # fmt: skip


def limit_of(options: argparse.Namespace, default: tuple[str, int]) -> tuple[str, int]:
    """Return the limit that was given, as UCI's name and number, or the ``default``."""
    for name in ("nodes", "depth", "movetime"):
        if number := getattr(options, name):
            return name, number
    return default


def refuse_unused(options: argparse.Namespace, mode: str, used: Collection[str]) -> None:
    """Raise `UciError` for an option that was given but that ``mode`` does not use.

    ``used`` names the options that the mode uses, including the mode's own. The default of an
    option is None, False or empty.
    """
    for name, value in vars(options).items():
        given = value is not None and value is not False and value not in ("", [])
        if given and name not in {*used, "task", "run"}:
            raise UciError(f"--{name.replace('_', '-')} cannot be used {mode}")
