"""The command ``pythagoras report``: writes the HTML report of games analysed earlier."""

import argparse
from pathlib import Path

from uci.apps.console.arguments import Tasks, integer
from uci.errors import UciError, shorten

ENDING = ".analysis.json"


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "report",
        help="write the HTML report of analysed games again",
        epilog="example: pythagoras report games.analysis.json --force",
    )
    add = parser.add_argument
    add("file", type=Path, metavar="NAME.analysis.json", help="JSON file that analyse has written")
    add("-o", "--output", type=Path, metavar="FILE", help="output file (NAME.html)")
    add("--html-games", type=integer(), metavar="N", help="maximum games in the report (500)")
    add("--force", action="store_true", help="replace existing files")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the report; return the exit status. Raises `UciError`."""
    from uci.apps.analyse.report.page import MOST_GAMES
    from uci.apps.console.output_file import check_target, write_target

    name = options.file.name
    stem = name.removesuffix(ENDING) if name.endswith(ENDING) else options.file.stem
    target = options.output or options.file.parent / f"{stem}.html"
    check_target(target, options.force)
    page = _page_of(options.file, options.html_games or MOST_GAMES)
    write_target(target, page.encode(errors="replace"))
    print(target)
    return 0


def _page_of(path: Path, most: int) -> str:
    """Return the report of a document. Raises `UciError` if the document is damaged."""
    from uci.apps.analyse.report.page import build_page
    from uci.apps.games.analysis_document import read_document

    document = read_document(path)
    try:
        return build_page(document, most)
    except UciError:
        raise
    except ValueError as error:
        raise UciError(f"{shorten(str(path))} is damaged: {shorten(str(error))}") from None
