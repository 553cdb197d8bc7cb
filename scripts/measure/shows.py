"""Generate the example pages of `pythagoras pv-lab --show`.

Usage: python -m scripts.measure.shows [FOLDER]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from uci.apps.lab.show.show_page import ShowRequest, page_of

EXAMPLES = {
    "two-plies": ShowRequest("4k3/p3p3/P2pP3/2pP4/2P5/1p6/1P6/1K6 w - - 0 1", "fail-hard"),
    "square-and-triangle": ShowRequest(
        "8/R7/p3k1pp/1p6/5p2/P3n3/1P4PP/6K1 w - - 0 36", "fail-hard", "quadratic", "triangular"
    ),
    "stack-and-pointers": ShowRequest(
        "8/R7/p3k1pp/1p6/5p2/P3n3/1P4PP/6K1 w - - 0 36", "PVS", "line", "pointers"
    ),
    "no-line": ShowRequest("8/8/8/8/8/2k5/7p/K6R w - - 0 1", "MTD(f)", "triangular", "hash_walk"),
    "not-cleared": ShowRequest(
        "k7/p1K5/1P6/8/8/8/6P1/8 w - - 0 1",
        "fail-hard",
        "triangular",
        "triangular",
        uncleared=True,
    ),
    "one-row": ShowRequest("8/8/8/p7/8/8/3k4/5K2 w - - 0 1", "fail-hard", "single", "triangular"),
    "cut-short": ShowRequest(
        "3K4/5k2/8/8/8/8/p7/8 w - - 0 1", "PVS", "triangular", "hash_store", 4, cutoffs=True
    ),
    "overwritten": ShowRequest(
        "k7/8/8/8/2P1P2p/8/8/7K w - - 0 1", "PVS", "hash_walk", "triangular", 3, clusters=1
    ),
}
"""The pages: the tree of the collectors' page; TSCP's square next to the triangle, and two other
ways to copy, on a real position; MTD(f), whose rows stay empty; rows that are not cleared; one row
in plain alpha-beta; a PV that the table shortens; a PV whose entry was overwritten."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Generate the pages; return the exit status."""
    parser = argparse.ArgumentParser(description="Generate the example pages of pv-lab --show.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("shows"), help="output folder")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, request in EXAMPLES.items():
        target = options.folder / f"{name}.html"
        page = page_of(request, lambda done, total, what: None)
        target.write_text(page, encoding="utf-8")
        print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
