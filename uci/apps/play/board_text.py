"""The board as rich text, in two sizes."""

import chess
from rich.text import Text

from uci.apps.play.board_colours import NONE, Palette
from uci.apps.play.board_drawing import DrawnSquare, files, man, plain_square, ranks

SMALL, LARGE = (3, 1), (6, 3)
"""Columns and rows of a square."""

LABEL = 2
"""Columns of a rank's number."""


def board_size(square: tuple[int, int]) -> tuple[int, int]:
    """Return columns and rows of a board with its labels."""
    return LABEL + 8 * square[0], 8 * square[1] + 1


def board_text(
    board: chess.Board,
    flipped: bool,
    palette: Palette,
    ascii_only: bool,
    square: tuple[int, int] = SMALL,
) -> list[Text]:
    """Return the lines of a board; without colours the last move stands in parentheses."""
    width, height = square
    lines = []
    for rank in ranks(board, flipped):
        for row in range(height):
            middle = row == height // 2
            line = Text()
            line.append(f"{rank.label} " if middle else "  ", palette.quiet)
            for drawn in rank.squares:
                line.append(*_cell(drawn, middle, width, palette, ascii_only))
            lines.append(line)
    letters = "".join(letter.center(width - 1).ljust(width) for letter in files(flipped))
    letters = letters if width > SMALL[0] else "".join(f" {letter} " for letter in files(flipped))
    return [*lines, Text(f"{' ' * LABEL}{letters}", style=palette.quiet)]


def _cell(
    drawn: DrawnSquare, middle: bool, width: int, palette: Palette, ascii_only: bool
) -> tuple[str, str]:
    """Return a square's text in one of its rows, and its style."""
    left = (width - 1) // 2
    if palette is NONE:
        inside = plain_square(drawn, ascii_only) if middle else " " * 3
        return " " * (left - 1) + inside + " " * (width - left - 2), ""
    shades = (
        (palette.last_dark, palette.last_light)
        if drawn.is_marked
        else (palette.dark, palette.light)
    )
    shade = shades[drawn.is_light]
    if not middle or drawn.piece is None:
        return " " * width, f"on {shade}"
    colour = palette.white if drawn.piece.color else palette.black
    symbol = man(drawn.piece, ascii_only, coloured=True)
    return " " * left + symbol + " " * (width - left - 1), f"{colour} on {shade}"
