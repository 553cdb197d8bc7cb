"""Draws the board as rich text, in two sizes, in 256 colours.

Both sides' pieces stand out on every square: all contrasts are at least 3, which WCAG requires for
graphics, and a test checks it. So the squares are mid-tones between white and black.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

import chess
from rich.text import Text

from uci.apps.play.board_drawing import DrawnSquare, files, piece_symbol, plain_square, ranks

SMALL, LARGE = (3, 1), (6, 3)
"""Columns and rows of a square."""

LABEL = 2
"""Width of a rank's number in columns."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours, by rich's names, of squares, squares of the last move, pieces, and text."""

    light: str
    dark: str
    last_light: str
    last_dark: str
    white: str
    black: str
    quiet: str
    accent: str


PALETTES = {
    "dark": Palette(
        "color(137)", "color(94)", "color(67)", "color(60)", "color(231)", "color(16)",
        "color(245)", "color(180)",
    ),
    "light": Palette(
        "color(103)", "color(60)", "color(101)", "color(58)", "color(231)", "color(16)",
        "color(241)", "color(24)",
    ),
}  # fmt: skip

SIXTEEN = Palette(
    "cyan", "blue", "magenta", "magenta", "bright_white", "black", "default", "default",
)  # fmt: skip
"""For terminals with 16 colours, whose exact shades are unknown."""

NONE = Palette(*[""] * 8)
"""For terminals without colours, and for ``NO_COLOR``."""


def palette_for(theme: str, system: str | None) -> Palette:
    """Return the colours for a terminal; ``system`` is rich's name of its colours, None for
    none."""
    if system is None:
        return NONE
    return PALETTES[theme] if system in ("256", "truecolor") else SIXTEEN


def theme_of_terminal(environment: Mapping[str, str] = os.environ) -> str:
    """Return the theme for the background in ``COLORFGBG``, which some terminals set, or dark."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"


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
    """Return the lines of a board; without colours the last move is in parentheses."""
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
    """Return one row of a square as text, and its style."""
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
    symbol = piece_symbol(drawn.piece, ascii_only, coloured=True)
    return " " * left + symbol + " " * (width - left - 1), f"{colour} on {shade}"
