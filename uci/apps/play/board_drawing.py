"""Draws the board in characters.

Of all chess glyphs only the black pawn, U+265F, is also an emoji, which many fonts draw wide and in
colours. U+FE0E after it requests the text form. It takes no column: terminals, tmux, rich and
prompt_toolkit all count 1 for the two. (The white pawn would need no U+FE0E, but it is an outline,
and only filled pieces can be distinguished by colour.)
"""

from collections.abc import Iterator
from typing import NamedTuple

import chess

TEXT_STYLE = "\N{VARIATION SELECTOR-15}"


class DrawnSquare(NamedTuple):
    """A square: its piece, whether it is light, and whether the last move began or ended there."""

    piece: chess.Piece | None
    is_light: bool
    is_marked: bool


class DrawnRank(NamedTuple):
    """A rank's number, and its squares from left to right."""

    label: str
    squares: tuple[DrawnSquare, ...]


def ranks(board: chess.Board, flipped: bool) -> Iterator[DrawnRank]:
    """Yield the ranks from top to bottom, from Black's view if ``flipped``."""
    last = board.peek() if board.move_stack else chess.Move.null()
    marked = (last.from_square, last.to_square) if last else ()
    for rank in range(8) if flipped else range(7, -1, -1):
        squares = [chess.square(file, rank) for file in (range(7, -1, -1) if flipped else range(8))]
        yield DrawnRank(
            chess.RANK_NAMES[rank],
            tuple(
                DrawnSquare(board.piece_at(s), bool(chess.BB_LIGHT_SQUARES >> s & 1), s in marked)
                for s in squares
            ),
        )


def files(flipped: bool) -> str:
    """Return the letters of the files from left to right."""
    return "hgfedcba" if flipped else "abcdefgh"


def piece_symbol(piece: chess.Piece, ascii_only: bool, coloured: bool) -> str:
    """Return a piece as a character, a filled one if colours distinguish the sides."""
    symbol = piece.symbol()
    if ascii_only:
        return symbol
    glyph = chess.UNICODE_PIECE_SYMBOLS[symbol.lower() if coloured else symbol]
    return glyph + TEXT_STYLE if glyph == "♟" else glyph


def plain_square(square: DrawnSquare, ascii_only: bool) -> str:
    """Return a square in three columns, without colours."""
    if square.piece is None:
        inside = " " if square.is_light else "." if ascii_only else "·"
    else:
        inside = piece_symbol(square.piece, ascii_only, coloured=False)
    return f"({inside})" if square.is_marked else f" {inside} "


def plain_board(board: chess.Board, flipped: bool, ascii_only: bool) -> list[str]:
    """Return the lines of a board without colours; the last move is in parentheses."""
    lines = [
        f"{rank.label} {''.join(plain_square(square, ascii_only) for square in rank.squares)}"
        for rank in ranks(board, flipped)
    ]
    return [*(line.rstrip() for line in lines), f"   {'  '.join(files(flipped))}"]
