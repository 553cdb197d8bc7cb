"""Make the table of opening names from lichess's list of openings, which is in the public domain.

Usage: python -m scripts.data.opening_names FOLDER, where ``FOLDER`` has the files a.tsv to e.tsv of
lichess-org/chess-openings and its COPYING.txt.
"""

import argparse
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess.pgn

from scripts.match.builds import ROOT

TABLE = ROOT / "uci" / "apps" / "games" / "openings.tsv"
LICENCE = TABLE.with_suffix(".LICENSE")


def openings(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield position, ECO code and name of each opening."""
    for volume in "abcde":
        with (folder / f"{volume}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                game = chess.pgn.read_game(io.StringIO(row["pgn"]))
                assert game is not None
                assert not game.errors
                yield game.end().board().epd(), row["eco"], row["name"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="opening_names", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder
    rows = sorted(openings(folder))
    TABLE.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    LICENCE.write_bytes((folder / "COPYING.txt").read_bytes())
    print(f"{len(rows)} openings in {TABLE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
