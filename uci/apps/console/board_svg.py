"""Parts of a board as SVG: squares, labels and pieces, in drawing units."""

from typing import NamedTuple
from xml.etree import ElementTree

import chess
import chess.svg

SQUARE = 45
"""Width of a square."""

MARGIN = 14
"""Space to the left of a board and below it, for its labels."""


class Label(NamedTuple):
    """A label at the edge of a board: the letter of a file or the number of a rank."""

    x: float
    y: float
    text: str


def dark_squares() -> str:
    """Return the path of the dark squares of a board."""
    corners = (corner(square, False) for square in chess.SquareSet(chess.BB_DARK_SQUARES))
    return "".join(f"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z" for x, y in corners)


def labels(flipped: bool) -> list[Label]:
    """Return the labels of the files below a board and of the ranks to its left."""
    middles = [SQUARE * at + SQUARE / 2 for at in range(8)]
    files = zip(middles, chess.FILE_NAMES[:: -1 if flipped else 1], strict=True)
    ranks = zip(middles, chess.RANK_NAMES[:: 1 if flipped else -1], strict=True)
    below = [Label(x, 8 * SQUARE + 11, name) for x, name in files]
    left = [Label(-MARGIN / 2, y + 4, name) for y, name in ranks]
    return [*below, *left]


def corner(square: chess.Square, flipped: bool) -> tuple[int, int]:
    """Return the upper left corner of a square, x and y."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    column, row = (7 - file, rank) if flipped else (file, 7 - rank)
    return SQUARE * column, SQUARE * row


def pieces() -> str:
    """Return the twelve pieces of python-chess (by Colin M. L. Burnett) as symbols."""
    return "".join(
        f'<symbol id="{"w" if symbol.isupper() else "b"}{symbol.lower()}" viewBox="0 0 45 45">'
        f"{_plain(drawing)}</symbol>"
        for symbol, drawing in chess.svg.PIECES.items()
    )


def _plain(drawing: str) -> str:
    """Return a drawing without ids and classes, and with attributes instead of styles.

    Ids and classes would clash with other drawings of the page, and its security policy forbids
    styles.
    """
    root = ElementTree.fromstring(drawing)  # noqa: S314  (made by python-chess)
    for node in root.iter():
        node.attrib.pop("id", None)
        node.attrib.pop("class", None)
        for rule in filter(None, node.attrib.pop("style", "").split(";")):
            name, _, value = rule.partition(":")
            node.set(name.strip(), value.strip())
    return ElementTree.tostring(root, encoding="unicode")
