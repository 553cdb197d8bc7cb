"""Opening books in Polyglot format, read by python-chess.

The file is opened for each move, so it is never locked, and a book may be replaced, truncated or
removed during a game.
"""

import errno
import os
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.polyglot

from engine.files import named, open_file
from uci.chess_io.convert import move_text
from uci.errors import UciError, shorten

_ENTRY = chess.polyglot.ENTRY_STRUCT.size

SAMPLES = 1000
"""Number of entries whose order shows that a file is a book."""

FULL_VARIETY = 100
"""The variety with which moves are drawn by their weights as they are."""


class _Reader(chess.polyglot.MemoryMappedReader):
    """python-chess's reader, for files that may be pipes, shrink or become unreadable.

    It uses no memory map: if a file shrank or a disk failed, that would end the process.
    """

    def __init__(self, path: Path) -> None:
        self._file = open_file(path)
        self._bytes = self._file.seek(0, os.SEEK_END)
        if self._bytes < _ENTRY:  # a partial entry at the end is ignored, as in gnuchess
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
    """An opening book; see `open_book`."""

    path: Path

    def pick(
        self, board: chess.Board, rng: random.Random, variety: int = FULL_VARIETY
    ) -> chess.Move | None:
        """Return a legal move for ``board``, drawn with odds by weight and ``variety``.

        ``variety`` goes from 0, the moves of the greatest weight only, to `FULL_VARIETY`, the
        weights as they are. A move to a position that has occurred in the game is left out: the
        book has no memory and would repeat it until the game is drawn.
        ``None`` if the book has no move, or can no longer be read. ``board`` is in Chess960 mode,
        like all our boards: castling is king takes rook.
        """
        legal = _notations(board)
        key = chess.polyglot.zobrist_hash(board)
        try:
            with _Reader(self.path) as reader:
                entries = [entry for entry in reader.find_all(key) if entry.move in legal]
        except (OSError, IndexError):  # the file is missing or has shrunk
            return None
        weights = {legal[entry.move]: 0 for entry in entries}
        for entry in entries:
            weights[legal[entry.move]] += entry.weight
        weights = {move: weight for move, weight in weights.items() if not _repeats(board, move)}
        if not weights:
            return None
        return rng.choices([*weights], _odds([*weights.values()], variety))[0]


def open_book(path: str) -> Book:
    """Return the book in the file ``path``.

    Raises `UciError` if the file cannot be read, or is not a book.
    """
    file = named(path)
    try:
        with _Reader(file) as reader:
            size = len(reader)
            step = max(1, size // SAMPLES)
            keys = [reader[index].key for index in range(0, size, step)]
    except OSError as error:
        raise UciError(f"could not open book {shorten(path)}: {error.strerror}") from None
    except IndexError:
        raise UciError(
            f"could not read book {shorten(path)}: the file was truncated while reading"
        ) from None
    if keys != sorted(keys):
        raise UciError(f"{shorten(path)} is not a valid Polyglot book: its keys are not sorted")
    return Book(file)


def _notations(board: chess.Board) -> dict[chess.Move, chess.Move]:
    """Return the legal moves by the notations that a book may use.

    The format writes castling as king takes rook; some books move the king two files instead.
    """
    legal = {move: move for move in board.generate_legal_moves()}
    for move in board.generate_castling_moves():
        legal.setdefault(chess.Move.from_uci(move_text(move, board, chess960=False)), move)
    return legal


def _repeats(board: chess.Board, move: chess.Move) -> bool:
    """Return whether a legal ``move`` leads to a position that has occurred in the game."""
    after = board.copy()
    after.push(move)
    return after.is_repetition(2)


def _odds(weights: Sequence[int], variety: int) -> list[float]:
    """Return the odds of moves with ``weights`` above 0: see `Book.pick`."""
    best = max(weights)
    if variety == 0:
        return [float(weight == best) for weight in weights]
    return [float((weight / best) ** (FULL_VARIETY / variety)) for weight in weights]
