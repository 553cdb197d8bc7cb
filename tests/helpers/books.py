"""Opening books, made entry by entry."""

import struct
from pathlib import Path

import chess
import chess.polyglot

from uci.chess_io.book import Book, open_book


def entry(board: chess.Board, move: int, weight: int) -> tuple[int, int, int, int]:
    return chess.polyglot.zobrist_hash(board), move, weight, 0


def raw(text: str) -> int:
    """Return the 16 bits of a move in the book format."""
    move = chess.Move.from_uci(text)
    promotion = move.promotion - 1 if move.promotion else 0
    return move.to_square | move.from_square << 6 | promotion << 12


def write(path: Path, *entries: tuple[int, int, int, int]) -> Book:
    path.write_bytes(b"".join(struct.pack(">QHHI", *one) for one in sorted(entries)))
    return open_book(str(path))
