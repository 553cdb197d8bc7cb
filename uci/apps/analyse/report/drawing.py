"""What the page shows without its script: boards, and the graph of the first game."""

from collections.abc import Iterator, Sequence
from math import hypot

import chess

from uci.apps.console.board_squares import SQUARE, corner
from uci.apps.games.analysis_document import Json

WIDE, HIGH = 800, 160
"""Size of the graph, in units of the drawing."""

BACK = 16
"""How far behind its tip an arrow's head begins."""


def board_view(
    board: chess.Board, flipped: bool = False, arrows: Sequence[tuple[chess.Move, str]] = ()
) -> Json:
    """Return the men and arrows of a board for the template, and the men in words."""
    men = [
        {
            **corner(square, flipped),
            "name": f"{'w' if piece.color else 'b'}{piece.symbol().lower()}",
        }
        for square, piece in board.piece_map().items()
    ]
    return {
        "flipped": flipped,
        "men": men,
        "arrows": [_arrow(move, kind, flipped) for move, kind in arrows],
        "words": " ".join(_men_in_words(board)),
    }


def _men_in_words(board: chess.Board) -> Iterator[str]:
    for color in chess.COLORS:
        men = [
            f"{chess.piece_name(piece.piece_type)} {chess.square_name(square)}"
            for square, piece in sorted(board.piece_map().items())
            if piece.color == color
        ]
        yield f"{chess.COLOR_NAMES[color].capitalize()}: {', '.join(men)}."


def _arrow(move: chess.Move, kind: str, flipped: bool) -> Json:
    ends = (corner(square, flipped) for square in (move.from_square, move.to_square))
    (x1, y1), (x2, y2) = ((end["x"] + SQUARE / 2, end["y"] + SQUARE / 2) for end in ends)
    length = hypot(x2 - x1, y2 - y1) or 1
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - BACK * ux, y2 - BACK * uy
    head = (
        f"M{x2:g} {y2:g}L{bx - 9 * uy:.1f} {by + 9 * ux:.1f}L{bx + 9 * uy:.1f} {by - 9 * ux:.1f}Z"
    )
    return {
        "x1": f"{x1:g}",
        "y1": f"{y1:g}",
        "x2": f"{bx:.1f}",
        "y2": f"{by:.1f}",
        "kind": kind,
        "head": head,
    }


def graph_view(game: Json) -> Json:
    """Return the curve of White's chances, the area under it, and dots at bad moves."""
    wins = [
        position["lines"][0]["win"] if position["lines"] else 50 for position in game["positions"]
    ]
    last = max(1, len(wins) - 1)
    points = [
        (f"{WIDE * ply / last:.1f}", f"{HIGH - HIGH * win / 100:.1f}")
        for ply, win in enumerate(wins)
    ]
    curve = "M" + "L".join(f"{x} {y}" for x, y in points)
    dots = [
        {"d": f"M{' '.join(points[move['ply']])}h0", "kind": move["verdict"]}
        for move in game["moves"]
        if move["verdict"]
    ]
    borders = [points[ply][0] for ply in game["phases"].values() if ply]
    area = f"{curve}L{WIDE} {HIGH}L0 {HIGH}Z"
    return {"curve": curve, "area": area, "borders": borders, "dots": dots}
