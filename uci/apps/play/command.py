"""The command ``pythagoras play``: a game against the engine, in a terminal."""

import argparse
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from uci.apps.console.arguments import Tasks, engine_option, tables
from uci.apps.console.extras import install_command, project
from uci.apps.console.signals import INTERRUPTED
from uci.errors import UciError, one_line, shorten

if TYPE_CHECKING:
    from uci.apps.play.plain_view import PlainView
    from uci.apps.play.play_settings import PlaySettings
    from uci.apps.play.terminal_view import TerminalView
    from uci.session.loader import Loader

HASH = "64"
"""MiB of the hash table: enough for minutes per move."""


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "play",
        usage="%(prog)s [OPTION ...]",
        help="play against the engine in a terminal",
        description='Play against the engine. Type "help" during the game for a list of commands.',
        epilog="example: pythagoras play --side black --level 1500 --tc 5+3",
    )
    add = parser.add_argument
    add("--side", metavar="SIDE", default="white", help="your side: white, black or random (white)")
    strength = parser.add_mutually_exclusive_group()
    strength.add_argument(
        "--level", metavar="ELO", help="Elo of the engine, 500 to 2900 (full strength)"
    )
    strength.add_argument("--skill", metavar="N", help="strength as a skill level, -7 to 20")
    add("--tc", metavar="MIN+SEC", help="play with clocks: 5+3 is 5 minutes plus 3 s per move")
    add(
        "--think",
        metavar="S",
        default="1",
        help="engine's time per move without clocks: 1, 300ms (1)",
    )
    add("--ponder", action="store_true", help="let the engine think in your time")
    add("--fen", help="starting position")
    add("--chess960", metavar="N", help="Chess960: starting position 0 to 959, or random")
    add("--book", metavar="FILE", default="", help="opening book in Polyglot format")
    add("--tables", type=tables, metavar="DIR", default="", help="folders of Syzygy tablebases")
    add(
        "--threads",
        type=engine_option("Threads"),
        default=1,
        metavar="N",
        help="number of threads (1)",
    )
    add("--name", default="You", help="your name in the PGN (You)")
    add("--theme", choices=("dark", "light"), help="background of the terminal")
    add("--ascii", action="store_true", help="show pieces as letters")
    add("--plain", action="store_true", help="plain lines of text, for screen readers")
    add("--new", action="store_true", help="start a new game without asking about a saved one")


def run(options: argparse.Namespace, loader: "Loader") -> int:
    """Play as ``options`` say, with the engine that ``loader`` loads; return the exit status.

    Raises `UciError` if the options are invalid.
    """
    import random
    from time import monotonic

    from engine.user_folders import state_folder
    from uci.apps.play.game_controller import GameController
    from uci.apps.play.opponent import Opponent
    from uci.apps.play.repl import Repl
    from uci.apps.play.saved_games import SavedGames

    settings = _settings(options)
    rng = random.Random()
    if over := settings.game(rng).end():
        raise UciError(f"--fen: the game is over in this position: {over}")
    view = _view(options)
    try:
        files = SavedGames(state_folder("play"), view.say)
    except RuntimeError:
        files = SavedGames(None, view.say)
    opponent = Opponent(loader, view.post)
    controller = GameController(settings, opponent, view, files, monotonic, rng)
    repl = Repl(controller, view, files)
    interrupted = False
    try:
        with suppress(BrokenPipeError):  # the reader has closed the pipe
            interrupted = view.run(repl)
    finally:
        is_kept = repl.close()
        opponent.close()
        files.close()
    with suppress(OSError):  # the terminal was closed
        view.print_result(controller)
        if is_kept:
            print("The game is saved; run pythagoras play to resume it.")
        sys.stdout.flush()
    if repl.analyse_file:
        return _analyse(repl.analyse_file)
    return INTERRUPTED if interrupted and is_kept else 0


def _view(options: argparse.Namespace) -> "PlainView | TerminalView":
    """Return the view: the whole terminal, or plain lines if that is not possible."""
    ascii_only = options.ascii or not _writes_glyphs()
    has_extra = all(find_spec(name) for name in ("rich", "prompt_toolkit"))
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    is_terminal = is_terminal and os.environ.get("TERM") not in ("dumb", "unknown")
    if options.plain or not has_extra or not is_terminal:
        if is_terminal and not options.plain:
            command = install_command(*project().extras.get("play", ["prompt_toolkit"]))
            print(f"pythagoras: for colours and a fixed board, install the extra: {command}")
        from uci.apps.play.plain_view import PlainView

        return PlainView(ascii_only)
    from rich.console import Console

    from uci.apps.play.board_text import palette_for, theme_of_terminal
    from uci.apps.play.terminal_view import TerminalView

    console = Console()
    system = None if console.no_color else console.color_system
    palette = palette_for(options.theme or theme_of_terminal(), system)
    return TerminalView(palette, system, ascii_only)


def _writes_glyphs() -> bool:
    try:
        "♟".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _analyse(path: str) -> int:
    """Run ``pythagoras analyse`` on a game, and print the names of the output files."""
    from pathlib import Path

    from uci.apps.console.own_command import run_own_command

    status = run_own_command("analyse", path, "--force")
    stem = Path(path).with_suffix("")
    for made in (f"{stem}.analysed.pgn", f"{stem}.analysis.json", f"{stem}.html"):
        if Path(made).exists():
            print(made)
    return status


def _settings(options: argparse.Namespace) -> "PlaySettings":
    from uci.apps.play.play_settings import ELO, SKILL, Level, PlaySettings, parse_side, parse_start
    from uci.apps.play.time_control import TimeControl, parse_duration
    from uci.chess_io.book import open_book

    level = Level()
    if options.level is not None:
        level = Level.parse(ELO, options.level)
    elif options.skill is not None:
        level = Level.parse(SKILL, options.skill)
    given = {"Threads": str(options.threads), "Hash": HASH}
    if options.book:
        open_book(one_line(options.book))
        given |= {"Book File": options.book, "OwnBook": "true"}
    if options.tables:
        given["SyzygyPath"] = options.tables
    think = parse_duration("--think", options.think)
    return PlaySettings(
        name=shorten(options.name) or "You",
        side=parse_side(options.side),
        level=level,
        control=TimeControl.parse(options.tc) if options.tc else None,
        think=think,
        ponder=options.ponder,
        fen=options.fen,
        chess960=parse_start(options.chess960) if options.chess960 is not None else None,
        options=given,
        skip_saved=options.new,
    )
