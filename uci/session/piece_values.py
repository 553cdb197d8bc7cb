"""The board of ``eval``: what each piece contributes to the static eval.

As in Stockfish's ``eval``, that is the static eval minus the one of the position without the piece.
"""

from collections.abc import Iterator

import chess

from uci.chess_io.convert import is_drawn
from uci.session.backend import Backend

ILLEGAL, BY_RULE = "x", "rule"

_TITLE = "Piece values: static eval minus that without the piece (centipawns, White's view)"
_MEANINGS = {
    ILLEGAL: "x: without the piece a king is in check: the position is illegal or never evaluated",
    BY_RULE: "rule: without the piece the position is a draw or evaluated by rule",
}


def piece_value_lines(backend: Backend, board: chess.Board) -> Iterator[str]:
    """Yield the lines of a board that has a static eval: see `unevaluated`."""
    values = piece_values(backend, board)
    yield _TITLE
    for rank in reversed(range(8)):
        squares = chess.SquareSet(chess.BB_RANKS[rank])
        cells = [_cell(board.piece_at(square), values.get(square, "")) for square in squares]
        yield f"{rank + 1}{''.join(cells)}".rstrip()
    yield "".join(f"{name:>5}{'':4}" for name in chess.FILE_NAMES).rstrip()
    yield from (text for mark, text in _MEANINGS.items() if mark in values.values())


def piece_values(backend: Backend, board: chess.Board) -> dict[int, int | str]:
    """Return the value of each piece but the kings, by square, in centipawns from White's view.

    It is `ILLEGAL` or `BY_RULE` where the position without the piece has no static eval.
    """
    whole = _white_eval(backend, board)
    values: dict[int, int | str] = {}
    for square in chess.scan_forward(board.occupied & ~board.kings):
        without = board.copy(stack=False)
        without.remove_piece_at(square)
        without.ep_square = None  # its pawn may be gone
        mark = unevaluated(backend, without)
        values[square] = mark or whole - _white_eval(backend, without)
    return values


def unevaluated(backend: Backend, board: chess.Board) -> str:
    """Return why a position has no static eval in a search, empty if it has one.

    It is `ILLEGAL` if a king is in check, and `BY_RULE` for a draw and for a rule of an endgame.
    """
    if board.is_check() or board.was_into_check():
        return ILLEGAL
    return BY_RULE if is_drawn(board) or backend.evaluates_by_rule(board) else ""


def _white_eval(backend: Backend, board: chess.Board) -> int:
    return backend.evaluate(board) * (1 if board.turn else -1)


def _cell(piece: chess.Piece | None, value: int | str) -> str:
    """Return nine columns: the symbol of a square, and the value of its piece."""
    text = value if isinstance(value, str) else f"{value:+}"
    return f"{piece.symbol() if piece else '.':>3}{text:>6}"
