"""Opening books in Polyglot's format, read by python-chess.

The file is opened for each move: it is never locked, and a book that is replaced, truncated
or removed during a game does no harm.
"""

import errno
import os
import random
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot

from engine.files import named, open_file
from uci.chess_io.convert import move_text
from uci.errors import UciError, shorten

_ENTRY = chess.polyglot.ENTRY_STRUCT.size

SAMPLES = 1000
"""Entries whose order is checked to tell whether a file is a book."""


class _Reader(chess.polyglot.MemoryMappedReader):
    """Python-chess's, of a file whose opening never waits.

    It maps no memory: where a file has shrunk, or a disk fails, that would end the process.
    """

    def __init__(self, path: Path) -> None:
        self._file = open_file(path)
        self._bytes = self._file.seek(0, os.SEEK_END)
        if self._bytes < _ENTRY:  # a rest behind whole entries does no harm, as in gnuchess's own
            self._file.close()
            reason = "it is cut short" if self._bytes else "it is empty"
            raise OSError(errno.EINVAL, reason, str(path))

    def __len__(self) -> int:
        return self._bytes // _ENTRY

    def __getitem__(self, index: int) -> chess.polyglot.Entry:
        self._file.seek(index * _ENTRY)
        self.mmap = self._file.read(_ENTRY)  # type: ignore[assignment]  # a book of one entry
        return super().__getitem__(0)

    def bisect_key_left(self, key: int) -> int:
        return bisect_left(self, key, key=lambda entry: entry.key)

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class Book:
    """A book; see `open_book`."""

    path: Path

    def pick(self, board: chess.Board, rng: random.Random) -> chess.Move | None:
        """Return a legal move for ``board``, drawn with odds by weight.

        ``None`` if the book has none, or can no longer be read. Like all our boards this one is
        in Chess960 mode: castling is king takes rook.
        """
        legal = _notations(board)
        key = chess.polyglot.zobrist_hash(board)
        try:
            with _Reader(self.path) as reader:
                entries = [entry for entry in reader.find_all(key) if entry.move in legal]
        except (OSError, IndexError):  # it is missing, or shrinks
            return None
        moves = [legal[entry.move] for entry in entries]
        weights = [entry.weight for entry in entries]
        return rng.choices(moves, weights)[0] if moves else None


def open_book(path: str) -> Book:
    """Return the book in the file ``path``.

    Raises `UciError` if there is none, or it is not a book.
    """
    file = named(path)
    try:
        with _Reader(file) as reader:
            size = len(reader)
            step = max(1, size // SAMPLES)
            keys = [reader[index].key for index in range(0, size, step)]
    except OSError as error:
        raise UciError(f"no book at {shorten(path)}: {error.strerror}") from None
    except IndexError:
        raise UciError(f"no book at {shorten(path)}: it shrinks") from None
    if keys != sorted(keys):
        raise UciError(f"{shorten(path)} is no Polyglot book: its keys are out of order")
    return Book(file)


def _notations(board: chess.Board) -> dict[chess.Move, chess.Move]:
    """Return the legal moves by the notations that a book may use.

    In the format castling is king takes rook; some books move the king two files instead.
    """
    legal = {move: move for move in board.generate_legal_moves()}
    for move in board.generate_castling_moves():
        legal.setdefault(chess.Move.from_uci(move_text(move, board, chess960=False)), move)
    return legal
