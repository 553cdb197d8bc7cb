"""Slow, obvious oracles on python-chess, and the positions to try them on."""

import random
from collections.abc import Iterator
from typing import Any

import chess

from engine.board.position import POSITION, new_position
from helpers.endgames import random_endgame
from uci.chess_io.convert import board_of, castling_rooks, encode_move, fill

EXCHANGE_VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 20000,
}
"""Centipawns. The king is never lost: it captures only undefended pieces."""


def position(board: str | chess.Board) -> Any:
    """Return a record of ``board``, a FEN or a board in Chess960 mode."""
    pos = new_position()
    fill(pos, board_of(board) if isinstance(board, str) else board)
    return pos


def visible(pos: Any) -> bytes:
    """Return the fields of a position record, except the history and the move lists."""
    assert POSITION.fields
    return bytes(pos.tobytes()[: POSITION.fields["history"][1]])


def codes(board: chess.Board) -> list[int]:
    """Return the legal moves as the engine writes them, in ascending order."""
    return sorted(encode_move(board, move) for move in board.legal_moves)


def gives_direct_check(board: chess.Board, move: chess.Move) -> bool:
    """Return whether the piece that ``move`` moves gives check from its new square."""
    after = board.copy(stack=False)
    after.push(move)
    return move.to_square in after.checkers()


def fields(board: chess.Board) -> dict[str, list[int]]:
    """Return the fields that a record of ``board`` should have, except the key, from scratch."""
    pieces = [12] * 64
    for square, piece in board.piece_map().items():
        pieces[square] = piece.piece_type - 1 + (0 if piece.color else 6)
    castling = [right for right, rook in enumerate(castling_rooks(board)) if rook >= 0]
    return {
        "board": pieces,
        "by_type": [
            board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        ],
        "by_colour": [board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]],
        "checkers": [int(board.checkers())],
        "side": [0 if board.turn else 1],
        "castling": [sum(1 << right for right in castling)],
        "castling_rook": [max(rook, 0) for rook in castling_rooks(board)],
        "en_passant": [(board.has_legal_en_passant() and board.ep_square) or 0],
        "halfmove": [board.halfmove_clock],
    }  # fmt: skip


def random_boards(rng: random.Random, chess960: bool, plies: int) -> Iterator[chess.Board]:
    """Yield one board, the start and then every position of a game, to its end or ``plies``.

    Castling, en passant, promotions, checks and moves back are preferred, so that every rule
    applies often.
    """
    start = rng.randrange(960) if chess960 else 518
    board = chess.Board.from_chess960_pos(start)
    yield board
    while len(board.move_stack) < plies:
        moves = list(board.legal_moves)
        if not moves:
            return
        if rng.random() < 0.3:
            moves = [move for move in moves if is_special(board, move)] or moves
        elif len(board.move_stack) > 1 and rng.random() < 0.4:
            last = board.move_stack[-2]
            back = chess.Move(last.to_square, last.from_square)
            moves = [back] if back in moves else moves
        board.push(rng.choice(moves))
        yield board


def is_special(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move castles, promotes, captures or allows en passant, or gives check."""
    return bool(
        move.promotion
        or board.is_castling(move)
        or board.is_en_passant(move)
        or board.gives_check(move)
        or (board.piece_type_at(move.from_square) == chess.PAWN and makes_en_passant(board, move))
    )


def makes_en_passant(board: chess.Board, move: chess.Move) -> bool:
    """Return whether the move allows a legal en-passant capture."""
    if abs(move.to_square - move.from_square) != 16:
        return False
    board.push(move)
    found = board.has_legal_en_passant()
    board.pop()
    return found


def static_exchange(board: chess.Board, move: chess.Move) -> int:
    """Return in centipawns what ``move`` wins if both sides capture as long as they gain by it."""
    if board.is_castling(move):
        return 0
    board = board.copy(stack=False)
    gain = 0
    if board.is_en_passant(move):
        gain = EXCHANGE_VALUES[chess.PAWN]
        board.remove_piece_at(move.to_square ^ 8)
    elif victim := board.piece_type_at(move.to_square):
        gain = EXCHANGE_VALUES[victim]
    piece = board.remove_piece_at(move.from_square)
    assert piece
    if move.promotion:
        gain += EXCHANGE_VALUES[move.promotion] - EXCHANGE_VALUES[chess.PAWN]
        piece.piece_type = move.promotion
    board.set_piece_at(move.to_square, piece)
    return gain - _best_exchange(board, move.to_square, not board.turn)


def _best_exchange(board: chess.Board, target: int, side: chess.Color) -> int:
    """Return what ``side`` wins on ``target`` by stopping, or capturing with its cheapest piece.

    Of two pieces of one kind, the one on the lower square captures.
    """
    attackers = board.attackers(side, target)
    if not attackers:
        return 0
    origin = min(attackers, key=lambda square: (board.piece_type_at(square), square))
    if board.piece_type_at(origin) == chess.KING and board.attackers(not side, target):
        return 0
    victim = board.piece_type_at(target)
    piece = board.remove_piece_at(origin)
    assert piece
    assert victim
    board.set_piece_at(target, piece)
    return max(0, EXCHANGE_VALUES[victim] - _best_exchange(board, target, not side))


def random_position(rng: random.Random) -> chess.Board:
    """Return a legal position of 3 or 4 pieces with a move to make."""
    return random_endgame(rng, rng.choice([1, 2, 2]))
