"""The board and the panels around it, in any size, without a terminal."""

import random
from collections.abc import Iterator

import chess
import pytest
from prompt_toolkit.utils import get_cwidth
from rich.cells import cell_len
from rich.color import Color

from uci.apps.play.board_drawing import piece_symbol, plain_board
from uci.apps.play.board_text import (
    LARGE,
    NONE,
    PALETTES,
    SIXTEEN,
    SMALL,
    Palette,
    board_size,
    board_text,
    palette_for,
    theme_of_terminal,
)
from uci.apps.play.screen import PlayerLine, ScreenState, message_lines, upper_part
from uci.chess_io.convert import board_of

SIZES = [(80, 24), (120, 40), (40, 20), (60, 30), (26, 12), (10, 4), (1, 1), (200, 60)]


def scene(plies: int, **changes: object) -> ScreenState:
    """Return the scene of a game of random moves."""
    rng = random.Random(plies)
    board = board_of(None)
    sans = [board.san_and_push(rng.choice(list(board.legal_moves))) for _ in range(plies)]
    players = (
        PlayerLine("Pythagoras", chess.BLACK, "1:02:03", False),
        PlayerLine("You" * 9, True, "0:09.9", True),
    )
    facts = {
        "board": board, "flipped": False, "players": players, "moves": sans,
        "start": board_of(None),
        "thought": "thinking … +0.31, 12 deep: " + "Nf3 " * 40, "messages": [],
    }  # fmt: skip
    return ScreenState(**facts | changes)  # type: ignore[arg-type]


def luminance(name: str) -> float:
    """Return the relative luminance (WCAG) of one of the 256 colours."""
    channels = [value / 255 for value in Color.parse(name).get_truecolor()]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", PALETTES)
def test_men_stand_out_on_every_square(theme: str) -> None:
    palette = PALETTES[theme]
    for square in (palette.light, palette.dark, palette.last_light, palette.last_dark):
        assert contrast(square, palette.white) >= 3
        assert contrast(square, palette.black) >= 3
    assert contrast(palette.light, palette.dark) >= 1.5
    assert len({palette.light, palette.dark, palette.last_light, palette.last_dark}) == 4
    background = "color(16)" if theme == "dark" else "color(231)"
    for text in (palette.quiet, palette.accent):
        assert contrast(text, background) >= 4.5


@pytest.mark.parametrize("symbol", chess.UNICODE_PIECE_SYMBOLS)
@pytest.mark.parametrize("coloured", [False, True])
def test_a_man_is_one_column_wide_and_no_emoji(symbol: str, coloured: bool) -> None:
    glyph = piece_symbol(chess.Piece.from_symbol(symbol), False, coloured)
    assert cell_len(glyph) == get_cwidth(glyph) == 1
    assert ("♟" in glyph) == ("\N{VARIATION SELECTOR-15}" in glyph)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("plies", [0, 1, 40, 301])
def test_everything_fits(size: tuple[int, int], plies: int) -> None:
    columns, rows = size
    for palette in (PALETTES["dark"], NONE):
        lines = upper_part(scene(plies), columns, rows, palette, ascii_only=False)
        assert len(lines) <= rows
        if columns >= board_size(SMALL)[0]:
            assert max(line.cell_len for line in lines) <= columns
        if (columns, rows) >= (40, 20):
            assert sum(line.plain.count("♔") + line.plain.count("♚") for line in lines) == 2


@pytest.mark.parametrize(
    ("size", "square"), [((80, 24), SMALL), ((120, 40), LARGE), ((40, 20), SMALL)]
)
def test_players_and_moves_are_shown(size: tuple[int, int], square: tuple[int, int]) -> None:
    lines = upper_part(scene(5), *size, PALETTES["dark"], ascii_only=True)
    text = "\n".join(line.plain for line in lines)
    assert "Pythagoras" in text
    assert "▸ You" in text
    assert "1:02:03" in text
    assert "0:09.9" in text
    assert " 3. " in f" {text}"
    ranks = sum(line.plain[:1] in "12345678" and line.plain[1:2] == " " for line in lines)
    assert ranks == 8
    assert any("   a" in line.plain for line in lines)
    assert len(lines) >= board_size(square)[1]


def squares(board: chess.Board, palette: Palette, flipped: bool) -> Iterator[tuple[str, str]]:
    """Yield each square's text and style, from the top left."""
    for line in board_text(board, flipped, palette, ascii_only=True)[:-1]:
        plain = line.plain
        for span in line.spans[1:]:
            yield plain[span.start : span.end], str(span.style)


@pytest.mark.parametrize("flipped", [False, True])
def test_the_board_in_colours(flipped: bool) -> None:
    board = board_of(None)
    board.push_san("e4")
    palette = PALETTES["dark"]
    drawn = list(squares(board, palette, flipped))
    assert len(drawn) == 64
    order = [chess.square(f, r) for r in range(7, -1, -1) for f in range(8)]
    for square, (text, style) in zip(order[::-1] if flipped else order, drawn, strict=True):
        piece = board.piece_at(square)
        assert text == (f" {piece.symbol()} " if piece else "   ")
        shade = style.rpartition("on ")[2]
        light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
        if square in (chess.E2, chess.E4):
            assert shade == (palette.last_light if light else palette.last_dark)
        else:
            assert shade == (palette.light if light else palette.dark)
        if piece:
            assert style.startswith(palette.white if piece.color else palette.black)


def test_the_board_in_lines() -> None:
    board = board_of(None)
    board.push_san("e4")
    assert plain_board(board, flipped=False, ascii_only=True) == [
        "8  r  n  b  q  k  b  n  r",
        "7  p  p  p  p  p  p  p  p",
        "6     .     .     .     .",
        "5  .     .     .     .",
        "4     .     . (P) .     .",
        "3  .     .     .     .",
        "2  P  P  P  P ( ) P  P  P",
        "1  R  N  B  Q  K  B  N  R",
        "   a  b  c  d  e  f  g  h",
    ]
    assert plain_board(board, flipped=True, ascii_only=False)[0] == "1  ♖  ♘  ♗  ♔  ♕  ♗  ♘  ♖"


def test_messages_oldest_first() -> None:
    messages = ["one", "two words " * 6, "\n".join(str(number) for number in range(9))]
    lines = [line.plain for line in message_lines(messages, 20, NONE)]
    assert lines[-9:] == [str(number) for number in range(9)]
    assert lines[1:-9] == [
        "two words two words",
        "  two words two",
        "  words two words",
        "  two words ",
    ]
    assert lines[0] == "one"
    palette = PALETTES["dark"]
    styles = [line.style for line in message_lines(messages, 20, palette)]
    assert styles == [palette.quiet] * 5 + [""] * 9


def test_a_word_longer_than_the_screen_is_broken() -> None:
    first, *_ = message_lines(["x" * 100], 30, NONE)
    assert first.plain == "x" * 30


def test_which_colours() -> None:
    assert palette_for("light", "truecolor") is palette_for("light", "256") is PALETTES["light"]
    assert palette_for("light", "standard") is SIXTEEN
    assert palette_for("dark", None) is NONE
    assert theme_of_terminal({"COLORFGBG": "0;15"}) == "light"
    assert theme_of_terminal({"COLORFGBG": "15;default;0"}) == "dark"
    assert theme_of_terminal({}) == "dark"
