"""Opening books in Polyglot's format, read by python-chess.

The file is opened anew for each move: nothing stays locked, and a book that is replaced,
cut short or removed during a game costs no more than its moves.
"""

import errno
import mmap
import os
import random
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot

from engine.files import open_file
from uci.chess_io.adapter import move_text
from uci.protocol.commands import UciError, shorten

SAMPLES = 1000
"""Entries whose order is looked at before a file is believed to be a book."""


class _Reader(chess.polyglot.MemoryMappedReader):
    """Python-chess's, of a file whose opening never waits."""

    def __init__(self, path: Path) -> None:
        with open_file(path) as file:
            size = file.seek(0, os.SEEK_END)
            if size == 0 or size % chess.polyglot.ENTRY_STRUCT.size:
                raise OSError(errno.EINVAL, "it is cut short" if size else "it is empty", str(path))
            self.mmap = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@dataclass(frozen=True, slots=True)
class Book:
    """A book that was there when it was opened; see `open_book`."""

    path: Path

    def pick(self, board: chess.Board, rng: random.Random) -> chess.Move | None:
        """Return a legal move for ``board``, the likelier the greater its weight.

        ``None`` where the book knows none, or can no longer be read. Like all our boards
        this one is in Chess960 mode: castling is king takes rook.
        """
        moves, weights = [], []
        try:
            legal = _notations(board)
            with _Reader(self.path) as reader:
                for entry in reader.find_all(chess.polyglot.zobrist_hash(board)):
                    if entry.move in legal:
                        moves.append(legal[entry.move])
                        weights.append(entry.weight)
        except Exception:  # noqa: BLE001  (whatever the file holds, the game goes on)
            return None
        return rng.choices(moves, weights)[0] if moves else None


def open_book(path: str) -> Book:
    """Return the book in the file ``path``.

    Raises `UciError` when there is none, or what is there is no book.
    """
    file = Path(path)
    try:
        with _Reader(file) as reader:
            size = len(reader)
            step = max(1, size // SAMPLES)
            keys = [reader[index].key for index in range(0, size, step)]
    except OSError as error:
        raise UciError(f"no book at {shorten(path)}: {error.strerror}") from None
    if keys != sorted(keys):
        raise UciError(f"{shorten(path)} is no Polyglot book: its keys are out of order")
    return Book(file)


def _notations(board: chess.Board) -> dict[chess.Move, chess.Move]:
    """Return the legal moves by what a book may write.

    The format castles by king takes rook; some books move the king two files instead.
    """
    legal = {move: move for move in board.generate_legal_moves()}
    for move in board.generate_castling_moves():
        legal.setdefault(chess.Move.from_uci(move_text(move, board, chess960=False)), move)
    return legal
