"""The squares and labels of a board, in the units of its SVG drawing."""

from typing import Any

import chess

SQUARE = 45
"""Width of a square."""

MARGIN = 14
"""Space to the left of a board and below it, for its labels."""


def dark_squares() -> str:
    """Return the path of the dark squares of a board."""
    dark = chess.SquareSet(chess.BB_DARK_SQUARES)
    corners = (corner(square, False) for square in dark)
    return "".join(f"M{c['x']} {c['y']}h{SQUARE}v{SQUARE}h-{SQUARE}z" for c in corners)


def labels(flipped: bool) -> list[dict[str, Any]]:
    """Return the texts next to a board and their places: letters of files, numbers of ranks."""
    middles = [SQUARE * at + SQUARE / 2 for at in range(8)]
    below = [{"x": x, "y": 8 * SQUARE + 11, "text": name} for x, name in zip(
        middles, chess.FILE_NAMES[:: -1 if flipped else 1], strict=True
    )]  # fmt: skip
    beside = [{"x": -MARGIN / 2, "y": y + 4, "text": name} for y, name in zip(
        middles, chess.RANK_NAMES[:: 1 if flipped else -1], strict=True
    )]  # fmt: skip
    return [*below, *beside]


def corner(square: chess.Square, flipped: bool) -> dict[str, int]:
    """Return the upper left corner of a square as ``x`` and ``y``."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    column, row = (7 - file, rank) if flipped else (file, 7 - rank)
    return {"x": SQUARE * column, "y": SQUARE * row}
