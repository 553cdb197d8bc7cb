"""The options of ``pythagoras pv-lab --show``, and their execution."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uci.apps.lab.show.show_page import ShowRequest
    from uci.session.backend import ProgressCallback

SEARCH_NAMES = {
    "minimax": "minimax",
    "fail-hard": "fail-hard",
    "fail-soft": "fail-soft",
    "pvs": "PVS",
    "mtdf": "MTD(f)",
}
"""The lab's searches by their names on the command line."""

NO_CLEAR, SMALL_TABLE = BUGS = ("no-clear", "small-table")
DEFAULT_DEPTH = 2
DEFAULT_FILE = Path("pv-show.html")


def add_options(parser: argparse.ArgumentParser, mode: argparse._MutuallyExclusiveGroup) -> None:
    """Add the options to the parser of ``pythagoras pv-lab``, and ``--show`` to its modes."""
    add = parser.add_argument
    mode.add_argument(
        "--show", action="store_true", help="write an HTML page that replays one search"
    )
    add("--fen", help="position for --show (the starting position)")
    add(
        "--search",
        choices=SEARCH_NAMES,
        metavar="NAME",
        help=f"search for --show: {', '.join(SEARCH_NAMES)}",
    )
    add("--collector", metavar="NAME", help="PV collector for --show (triangular)")
    add("--compare", metavar="NAME", help="second collector, on the same tree")
    add(
        "--bug",
        choices=BUGS,
        metavar="NAME",
        help=f"add a bug to the collector: {' or '.join(BUGS)}",
    )
    add("-o", "--output", type=Path, metavar="FILE", help=f"output file of --show ({DEFAULT_FILE})")
    add("--force", action="store_true", help="replace existing files")


def run_show(options: argparse.Namespace, progress: "ProgressCallback") -> Path:
    """Write the page and return its path. Raises `UciError`."""
    target: Path = options.output or DEFAULT_FILE
    from uci.apps.console.html_file import need_jinja2
    from uci.apps.console.output_file import check_target, write_target

    check_target(target, options.force)
    need_jinja2()
    from uci.apps.lab.show.show_page import page_of

    write_target(target, page_of(request_of(options), progress).encode())
    return target


def request_of(options: argparse.Namespace) -> "ShowRequest":
    """Return the request that the options describe."""
    from uci.apps.lab.show.show_page import ShowRequest

    return ShowRequest(
        options.fen,
        SEARCH_NAMES[options.search or "pvs"],
        options.collector or "triangular",
        options.compare,
        options.depth or DEFAULT_DEPTH,
        options.tt == "on",
        options.bug == NO_CLEAR,
        1 if options.bug == SMALL_TABLE else None,
    )
