"""A game of a file as python-chess objects, for the formats of other programs."""

from collections.abc import Iterator
from typing import NamedTuple

import chess

from engine.board.annotations import Words
from engine.datagen.game_record import (
    CASTLING_ROOK,
    MOVES,
    NO_SCORE,
    OCCUPIED,
    PIECES,
    PLAYED,
    PLIES,
    STATE,
    read_result,
)
from uci.chess_io.convert import decode_move

_TYPES = (*chess.PIECE_TYPES, chess.ROOK)
"""The type of each piece code; the last one is `CASTLING_ROOK`."""


class RecordedPly(NamedTuple):
    """A move, and its score for the side that makes it; None for a move drawn at random."""

    move: chess.Move
    score: int | None


class RecordedGame(NamedTuple):
    """A game: its number in the file, start position, moves, and twice white's points."""

    number: int
    start: chess.Board
    plies: list[RecordedPly]
    result: int

    def positions(self) -> Iterator[tuple[chess.Board, RecordedPly]]:
        """Yield each position and its move. It is one board, which the next step changes."""
        board = self.start.copy()
        for ply in self.plies:
            yield board, ply
            board.push(ply.move)


class Encoded(NamedTuple):
    """A game in another format, and the number of its positions that are there with a score."""

    data: bytes
    positions: int


def read_game(number: int, words: Words) -> RecordedGame:
    """Return a game that `engine.datagen.game_file.split` has checked.

    Castling is king takes rook, as on a board of Chess960.
    """
    values = words[MOVES : MOVES + 2 * int(words[PLIES])]
    scores = values[1::2].astype("int16").tolist()
    plies = [
        RecordedPly(decode_move(move), None if score == NO_SCORE else score)
        for move, score in zip(values[::2].tolist(), scores, strict=True)
    ]
    return RecordedGame(number, _start(words), plies, int(read_result(words, 0)))


def _start(words: Words) -> chess.Board:
    board = chess.Board(None, chess960=True)
    pieces = _unsigned(words[PIECES:STATE])
    for index, square in enumerate(chess.scan_forward(_unsigned(words[OCCUPIED:PIECES]))):
        code = pieces >> 4 * index & 15
        board.set_piece_at(square, chess.Piece(_TYPES[code & 7], code < 8))
        if code & 7 == CASTLING_ROOK:
            board.castling_rights |= chess.BB_SQUARES[square]
    state = int(words[STATE])
    board.turn = not state >> 6 & 1
    board.ep_square = state & 63 or None
    board.halfmove_clock = state >> 8
    board.fullmove_number = 1 + int(words[PLAYED]) // 2
    return board


def _unsigned(words: Words) -> int:
    return int.from_bytes(words.astype("<u2").tobytes(), "little")
