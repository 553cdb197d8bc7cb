"""Reads files of positions: one EPD or FEN per line, optionally compressed."""

from collections.abc import Sequence
from pathlib import Path

import chess

from uci.chess_io.compressed import open_text
from uci.chess_io.convert import board_of
from uci.chess_io.text_files import text_lines
from uci.errors import UciError, reason, shorten


def read_positions(path: Path | None, default: Sequence[str] = ()) -> list[chess.Board]:
    """Return the boards of a file, or of ``default`` if ``path`` is None.

    Each line holds a FEN or EPD, as `read_fen` accepts it. Raises `UciError` for a file that cannot
    be read, an invalid position, a position without legal moves, and a file without positions.
    """
    try:
        lines = default if path is None else lines_of(path)
    except OSError as error:
        raise UciError(f"could not read {shorten(str(path))}: {reason(error)}") from None
    boards = []
    for number, text in enumerate(lines, 1):
        if not text.strip() or text.startswith("#"):
            continue
        try:
            board = board_of(text)
        except UciError as error:
            raise UciError(f"{path}, line {number}: {error}") from None
        if not any(board.generate_legal_moves()):
            raise UciError(f"{path}, line {number}: the side to move has no legal moves")
        boards.append(board)
    if not boards:
        raise UciError(f"{path}: the file contains no positions")
    return boards


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file, compressed or not. Raises `OSError`, `UciError`."""
    with open_text(path) as file:
        return [text for _, text in text_lines(file)]
