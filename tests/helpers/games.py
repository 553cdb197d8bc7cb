"""An independent reader of games in the format of `engine.datagen.game_record`."""

from typing import Any

import chess

KINDS = "pnbrqkr"


def start_of(words: Any, allowed: int = 0) -> chess.Board:
    """Return the starting board.

    Raises `ValueError` if it is illegal, except for the ``allowed`` flags of its status.
    """
    board = chess.Board(None, chess960=True)
    occupied = sum(int(word) << 16 * index for index, word in enumerate(words[2:6]))
    for index, square in enumerate(chess.scan_forward(occupied)):
        code = int(words[6 + index // 4]) >> 4 * (index % 4) & 15
        piece = chess.Piece.from_symbol(KINDS[code & 7])
        board.set_piece_at(square, chess.Piece(piece.piece_type, code < 8))
        if code & 7 == 6:
            board.castling_rights |= chess.BB_SQUARES[square]
    state = int(words[14])
    board.turn = not state >> 6 & 1
    board.ep_square = state & 63 or None
    board.halfmove_clock = state >> 8
    board.fullmove_number = 1 + int(words[15]) // 2
    if board.status() & ~allowed:
        raise ValueError(board.fen())
    return board


def plies_of(words: Any) -> list[tuple[int, int]]:
    """Return the moves and the scores of a game."""
    values = [int(word) for word in words[16 : 16 + 2 * int(words[0])]]
    return [
        (m, s - 65536 if s > 32767 else s) for m, s in zip(values[::2], values[1::2], strict=True)
    ]


def lines_of(words: Any) -> list[list[int]]:
    """Return the moves of the line of each ply."""
    left = [int(word) for word in words[16 + 2 * int(words[0]) :]]
    assert len(left) == int(words[1]) >> 2
    lines = []
    while left:
        lines.append(left[1 : 1 + left[0]])
        assert len(lines[-1]) == left[0]
        left = left[1 + left[0] :]
    return lines


def result_of(words: Any) -> int:
    """Return twice white's points."""
    return int(words[1]) & 3


def move_of(board: chess.Board, word: int) -> chess.Move:
    """Return the legal move of ``board`` that 16 bits stand for; `ValueError` if there is none."""
    promotion = "nbrq"[word >> 12 & 3] if word & 0x8000 else ""
    text = chess.SQUARE_NAMES[word & 63] + chess.SQUARE_NAMES[word >> 6 & 63] + promotion
    move = board.parse_uci(text)
    assert board.is_capture(move) == (word >> 14 & 1)
    assert board.is_castling(move) == (word >> 12 == 2)
    return move
