"""Random valid positions: from games of any length, and with randomly placed pieces."""

import random
from collections.abc import Iterator

import chess

_MIXTURES = (
    (chess.PAWN, chess.PAWN, chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN),
    (chess.PAWN,),
    (chess.QUEEN, chess.QUEEN, chess.QUEEN, chess.ROOK, chess.KNIGHT),
    (chess.ROOK, chess.BISHOP, chess.QUEEN),
    (chess.KNIGHT, chess.BISHOP, chess.PAWN),
)
"""The pieces of a randomly placed side are drawn from these."""

MOST_QUEENS = 9
"""The maximum number of each piece that a side can have."""

_CLOCKS = 0, 0, 0, 0, 7, 60, 96, 97, 98, 99
"""Halfmove clocks of randomly placed positions, some close to fifty moves."""


def random_boards(dice: random.Random) -> Iterator[chess.Board]:
    """Yield endless valid positions without history, few of them without a legal move.

    Three of ten come from games, three from Chess960 games, and four are randomly placed. Those in
    Chess960 mode require ``UCI_Chess960``.
    """
    while True:
        kind = dice.random()
        if kind < 0.6:
            yield _out_of_a_game(dice, kind < 0.3)
        else:
            yield scattered(dice)


def _out_of_a_game(dice: random.Random, chess960: bool) -> chess.Board:
    """Return a position after up to 150 random moves; rare moves are sometimes preferred."""
    board = chess.Board.from_chess960_pos(dice.randrange(960)) if chess960 else chess.Board()
    for _ in range(dice.randrange(150)):
        moves = list(board.legal_moves)
        if dice.random() < 0.3:
            moves = [move for move in moves if _is_rare(board, move)] or moves
        if not moves:
            break
        board.push(dice.choice(moves))
    return board.copy(stack=False)


def _is_rare(board: chess.Board, move: chess.Move) -> bool:
    return bool(move.promotion) or board.is_castling(move) or board.is_en_passant(move)


def scattered(dice: random.Random) -> chess.Board:
    """Return a random position of kings and up to 14 other pieces per side.

    Pawns are often about to promote, kings and rooks often able to castle, and the last move may
    have been a double step.
    """
    while True:
        board = chess.Board(None, chess960=dice.random() < 0.5)
        board.turn = dice.random() < 0.5
        for colour in chess.COLORS:
            _place(dice, board, colour, dice.randrange(15))
        board.castling_rights &= board.clean_castling_rights()
        if dice.random() < 0.4:
            _step(dice, board)
        board.halfmove_clock = 0 if board.ep_square else dice.choice(_CLOCKS)
        board.fullmove_number = 60
        if board.is_valid():
            return board


def _place(dice: random.Random, board: chess.Board, colour: chess.Color, number: int) -> None:
    """Place a side's king and ``number`` other pieces on the board."""
    home = 0 if colour else 56
    free = [square for square in chess.SQUARES if not board.piece_at(square)]
    king = dice.choice(free)
    if dice.random() < 0.4:
        king = home + (dice.randrange(1, 7) if board.chess960 else 4)
        sides = range(home, king), range(king + 1, home + 8)
        for squares, corner in zip(sides, (home, home + 7), strict=True):
            rook = dice.choice(squares) if board.chess960 else corner
            board.set_piece_at(rook, chess.Piece(chess.ROOK, colour))
            board.castling_rights |= chess.BB_SQUARES[rook] if dice.random() < 0.8 else 0
    board.set_piece_at(king, chess.Piece(chess.KING, colour))
    mixture = dice.choice(_MIXTURES)
    for _ in range(number):
        kind = dice.choice(mixture)
        square = dice.choice(chess.SQUARES)
        if kind == chess.PAWN and dice.random() < 0.5:
            square = dice.randrange(8) + (48 if colour else 8)
        is_full = kind == chess.QUEEN and len(board.pieces(kind, colour)) >= MOST_QUEENS
        if not board.piece_at(square) and not is_full:
            board.set_piece_at(square, chess.Piece(kind, colour))


def _step(dice: random.Random, board: chess.Board) -> None:
    """Place pawns as if the last move was a double step next to an enemy pawn."""
    file = dice.randrange(8)
    beside = dice.choice([near for near in (file - 1, file + 1) if 0 <= near < 8])
    rank, forward = (4, 1) if board.turn else (3, -1)
    for square in (chess.square(file, rank + forward), chess.square(file, rank + 2 * forward)):
        board.remove_piece_at(square)
    board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not board.turn))
    board.set_piece_at(chess.square(beside, rank), chess.Piece(chess.PAWN, board.turn))
    board.ep_square = chess.square(file, rank + forward)
