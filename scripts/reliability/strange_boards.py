"""Valid positions that hardly occur in games: most moves, most queens, discoveries."""

import random
from collections.abc import Callable, Iterator, Sequence

import chess

from scripts.reliability.random_boards import MOST_QUEENS

MOST_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
"""A position with 218 moves, the maximum (Nenad Petrović, 1964)."""


def strange_boards(dice: random.Random) -> Iterator[chess.Board]:
    """Yield endless boards in Chess960 mode, each with at least one legal move."""
    while True:
        board = dice.choice(_KINDS)(dice)
        if board.is_valid() and any(board.generate_legal_moves()):
            yield board


def _most_moves(dice: random.Random) -> chess.Board:
    """Return the position with most moves, or one without a few of its pieces."""
    board = chess.Board(MOST_MOVES, chess960=True)
    for square in dice.sample(chess.SQUARES, dice.choice((0, 0, 4, 12))):
        if board.piece_type_at(square) not in (None, chess.KING):
            board.remove_piece_at(square)
    return board


def _most_queens(dice: random.Random) -> chess.Board:
    """Return a position with up to nine queens a side."""
    queens = [chess.QUEEN] * MOST_QUEENS
    others = [chess.ROOK] * 2 + [chess.BISHOP] * 2 + [chess.KNIGHT] * 2
    return _filled(dice, _kings(dice), [*queens, *dice.sample(others, dice.randrange(7))])


def _promotions(dice: random.Random) -> chess.Board:
    """Return a position in which pawns can promote on most files, by pushes or captures."""
    board = _kings(dice)
    for colour, rank in ((chess.WHITE, 6), (chess.BLACK, 1)):
        for file in range(8):
            if dice.random() < 0.9:
                _put(board, chess.square(file, rank), chess.Piece(chess.PAWN, colour))
    for colour, rank in ((chess.BLACK, 7), (chess.WHITE, 0)):
        for file in dice.sample(range(8), 4):
            kind = dice.choice((chess.ROOK, chess.KNIGHT, chess.BISHOP, chess.QUEEN))
            _put(board, chess.square(file, rank), chess.Piece(kind, colour))
    return board


def _discoveries(dice: random.Random) -> chess.Board:
    """Return a position with a discovered double check, possible or just given."""
    while True:
        board = _kings(dice)
        king = board.king(not board.turn)
        assert king is not None
        kind = dice.choice((chess.ROOK, chess.BISHOP, chess.QUEEN))
        front = dice.choice((chess.KNIGHT, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.PAWN))
        for square in dice.sample(chess.SQUARES, 64):
            between = chess.SquareSet(chess.between(square, king))
            if between and not board.piece_at(square):
                middle = dice.choice(list(between))
                if not board.piece_at(middle) and (front != chess.PAWN or 7 < middle < 56):
                    board.set_piece_at(middle, chess.Piece(front, board.turn))
                    _put(board, square, chess.Piece(kind, board.turn))
                    break
        board = _filled(dice, board, dice.choices(range(chess.KNIGHT, chess.KING), k=3))
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            if chess.popcount(after.checkers_mask()) > 1:
                return board if dice.random() < 0.5 else after.copy(stack=False)


_KINDS: Sequence[Callable[[random.Random], chess.Board]] = (
    _most_moves, _most_queens, _promotions, _discoveries,
)  # fmt: skip


def _kings(dice: random.Random) -> chess.Board:
    """Return a board with two kings that are not adjacent."""
    board = chess.Board(None, chess960=True)
    board.turn = dice.random() < 0.5
    white = dice.choice(chess.SQUARES)
    far = [square for square in chess.SQUARES if chess.square_distance(white, square) > 1]
    board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(dice.choice(far), chess.Piece(chess.KING, chess.BLACK))
    return board


def _filled(dice: random.Random, board: chess.Board, kinds: Sequence[int]) -> chess.Board:
    """Return the board after adding pieces of these kinds to both sides, as far as possible."""
    for kind in kinds:
        for colour in chess.COLORS:
            for square in dice.sample(chess.SQUARES, 20):
                if _put(board, square, chess.Piece(kind, colour)):
                    break
    return board


def _put(board: chess.Board, square: int, piece: chess.Piece) -> bool:
    """Put a piece on an empty square, unless that gives an impossible check."""
    if board.piece_at(square):
        return False
    board.set_piece_at(square, piece)
    if board.was_into_check() or chess.popcount(board.checkers_mask()) > 1:
        board.remove_piece_at(square)
        return False
    return True
