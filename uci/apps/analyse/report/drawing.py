"""Drawings that the report shows without JavaScript: boards, and the graph of the first game."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot

import chess

from uci.apps.console.board_svg import SQUARE, corner
from uci.apps.games.analysis_document import AnalysedGame, BadMove

WIDE, HIGH = 800, 160
"""Size of the graph, in drawing units."""

BACK = 16
"""Length of an arrow's head."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece and the upper left corner of its square; ``name`` is its symbol's, such as ``wn``."""

    x: int
    y: int
    name: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow between two points; ``head`` is a path, ``kind`` a CSS class."""

    x1: str
    y1: str
    x2: str
    y2: str
    kind: str
    head: str


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board for the template; ``words`` list the pieces for screen readers."""

    flipped: bool
    pieces: list[Piece]
    arrows: list[Arrow]
    words: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of the graph, as a path."""

    d: str
    kind: BadMove


@dataclass(frozen=True, slots=True)
class Graph:
    """The curve of White's chances, the area below it, borders of phases, dots at bad moves."""

    curve: str
    area: str
    borders: list[str]
    dots: list[Dot]


def board_view(
    board: chess.Board, flipped: bool = False, arrows: Sequence[tuple[chess.Move, str]] = ()
) -> BoardView:
    """Return a board with ``arrows``: pairs of a move and its kind."""
    pieces = [
        Piece(*corner(square, flipped), f"{'w' if piece.color else 'b'}{piece.symbol().lower()}")
        for square, piece in board.piece_map().items()
    ]
    drawn = [_arrow(move, kind, flipped) for move, kind in arrows]
    return BoardView(flipped, pieces, drawn, " ".join(_in_words(board)))


def _in_words(board: chess.Board) -> Iterator[str]:
    for color in chess.COLORS:
        pieces = [
            f"{chess.piece_name(piece.piece_type)} {chess.square_name(square)}"
            for square, piece in sorted(board.piece_map().items())
            if piece.color == color
        ]
        yield f"{chess.COLOR_NAMES[color].capitalize()}: {', '.join(pieces)}."


def _arrow(move: chess.Move, kind: str, flipped: bool) -> Arrow:
    ends = (corner(square, flipped) for square in (move.from_square, move.to_square))
    (x1, y1), (x2, y2) = ((x + SQUARE / 2, y + SQUARE / 2) for x, y in ends)
    length = hypot(x2 - x1, y2 - y1) or 1
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - BACK * ux, y2 - BACK * uy
    head = (
        f"M{x2:g} {y2:g}L{bx - 9 * uy:.1f} {by + 9 * ux:.1f}L{bx + 9 * uy:.1f} {by - 9 * ux:.1f}Z"
    )
    return Arrow(f"{x1:g}", f"{y1:g}", f"{bx:.1f}", f"{by:.1f}", kind, head)


def graph_of(game: AnalysedGame) -> Graph:
    """Return the graph of a game."""
    wins = [position.best.win for position in game.positions]
    last = max(1, len(wins) - 1)
    points = [
        (f"{WIDE * ply / last:.1f}", f"{HIGH - HIGH * win / 100:.1f}")
        for ply, win in enumerate(wins)
    ]
    curve = "M" + "L".join(f"{x} {y}" for x, y in points)
    dots = [
        Dot(f"M{' '.join(points[move.ply])}h0", move.verdict) for move in game.moves if move.verdict
    ]
    borders = [points[ply][0] for ply in (game.phases.middlegame, game.phases.endgame) if ply]
    return Graph(curve, f"{curve}L{WIDE} {HIGH}L0 {HIGH}Z", borders, dots)
