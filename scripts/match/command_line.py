"""Shared by the command lines of matches: options, errors, exit statuses."""

import argparse
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from engine.user_folders import state_folder
from scripts.match.builds import MatchError
from scripts.match.exit_status import ERROR, INTERRUPTED
from scripts.match.runner import OPENINGS
from uci.apps.console.signals import handled

P = ParamSpec("P")


def command_line(name: str) -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Decorate the ``main`` of script ``name``: errors are printed in one line, Ctrl-C quietly.

    SIGTERM and a closed terminal have the effect of Ctrl-C.
    """

    def decorate(main: Callable[P, int]) -> Callable[P, int]:
        @wraps(main)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> int:
            try:
                with handled(_interrupt):
                    return main(*args, **kwargs)
            except MatchError as error:
                print(f"{name}: {error}", file=sys.stderr)
                return ERROR
            except KeyboardInterrupt:
                return INTERRUPTED

        return wrapped

    return decorate


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def refuse_same(options: argparse.Namespace, same: bool) -> None:
    """Raise `MatchError` if both sides are the ``same``, unless ``--new`` is given."""
    if same and options.new is None:
        raise MatchError(
            f"the working tree is the same engine as {options.base}: nothing was changed"
            " (NEW=HEAD BASE=HEAD plays an engine against itself)"
        )


def add_match_options(parser: argparse.ArgumentParser, games: int | None = None) -> None:
    """Add the options of every match; the number of ``games`` too, if there is a default."""
    if games is not None:
        parser.add_argument(
            "--games", type=even_number, default=games, help="number of games, even (%(default)s)"
        )
    parser.add_argument(
        "--concurrency", type=int, default=2, help="number of games played at the same time (2)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument(
        "--openings", type=Path, default=OPENINGS, help="EPD file of openings (%(default)s)"
    )


def add_state_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder in which games are saved."""
    kept = state_folder("matches")
    parser.add_argument(
        "--state", type=Path, default=kept, help="folder for games and state (%(default)s)"
    )


def add_new_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the engine under test."""
    parser.add_argument("--new", metavar="REV", help="revision to test (default: the working tree)")


def add_sprt_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a sequential test between two revisions."""
    add_new_option(parser)
    add_state_option(parser)
    parser.add_argument("--base-nodes", type=int, help="nodes per move of the base, if different")
    parser.add_argument(
        "--bounds", nargs=2, type=float, default=(0, 8), metavar=("ELO0", "ELO1"),
        help="normalised Elo: rejected at the first, accepted at the second (default 0 8)",
    )  # fmt: skip
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="risk of accepting no gain (0.05)"
    )
    parser.add_argument("--beta", type=float, default=0.05, help="risk of rejecting a gain (0.05)")
    add_match_options(parser, games=6000)


def even_number(text: str) -> int:
    """Return an even number of games, for argparse: games are played in pairs."""
    number = int(text)
    if number < 2 or number % 2:
        raise argparse.ArgumentTypeError("expected an even number, since games are played in pairs")
    return number
