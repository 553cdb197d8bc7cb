"""The options of ``pythagoras pv-lab --show``, and what becomes of them."""

from pathlib import Path
from typing import TYPE_CHECKING

from uci.errors import UciError

if TYPE_CHECKING:
    import argparse

    from uci.apps.lab.show.run import Wish
    from uci.session.backend import ProgressCallback

SEARCH_NAMES = {
    "minimax": "minimax",
    "fail-hard": "fail-hard",
    "fail-soft": "fail-soft",
    "pvs": "PVS",
    "mtdf": "MTD(f)",
}
"""The laboratory's searches by their names on the command line."""

NO_CLEAR, SMALL_TABLE = BUGS = ("no-clear", "small-table")
DEFAULT_DEPTH = 2
DEFAULT_FILE = Path("pv-show.html")
ONLY_WITH = ("fen", "search", "collector", "compare", "bug", "output")
ONLY_WITHOUT = ("epd", "json", "plot", "seeding", "truth", "variants", "sample")


def add_options(parser: "argparse.ArgumentParser") -> None:
    """Add the options to the parser of ``pythagoras pv-lab``."""
    add = parser.add_argument
    add("--show", action="store_true", help="write a page that replays one search, step by step")
    add("--fen", help="its position; without it the starting position")
    add("--search", choices=SEARCH_NAMES, metavar="NAME", help=f"one of {', '.join(SEARCH_NAMES)}")
    add("--collector", metavar="NAME", help="triangular without it; a wrong one lists them all")
    add("--compare", metavar="NAME", help="another collector beside it, on the same tree")
    add("--bug", choices=BUGS, metavar="NAME", help=f"break it: {' or '.join(BUGS)}")
    add("-o", dest="output", type=Path, metavar="FILE", help=f"the page: {DEFAULT_FILE}")
    add("--force", action="store_true", help="replace what is there")


def refuse_without_show(options: "argparse.Namespace") -> None:
    """Raise `UciError` for options that mean nothing without ``--show``."""
    for name in ONLY_WITH:
        if getattr(options, name):
            raise UciError(f"{'-o' if name == 'output' else f'--{name}'} needs --show")
    if options.force and not options.plot:
        raise UciError("--force needs --show or --plot")


def run_show(options: "argparse.Namespace", progress: "ProgressCallback") -> Path:
    """Write the page and return where it is. Raises `UciError`."""
    for name in ONLY_WITHOUT:
        if getattr(options, name):
            raise UciError(f"--{name} does not go with --show")
    target: Path = options.output or DEFAULT_FILE
    from uci.apps.console.html_file import need_jinja2
    from uci.apps.console.output_file import check_target, write_target

    check_target(target, options.force)
    need_jinja2()
    from uci.apps.lab.show.run import page_of

    write_target(target, page_of(wish_of(options), progress).encode())
    return target


def wish_of(options: "argparse.Namespace") -> "Wish":
    """Return what the options ask for."""
    from uci.apps.lab.show.run import Wish

    return Wish(
        options.fen,
        SEARCH_NAMES[options.search or "pvs"],
        options.collector or "triangular",
        options.compare,
        options.depth or DEFAULT_DEPTH,
        options.tt == "on",
        options.bug == NO_CLEAR,
        1 if options.bug == SMALL_TABLE else None,
    )
