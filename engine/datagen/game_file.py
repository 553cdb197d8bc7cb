"""Files of games: a header, then blocks, each with its length and a checksum. Little-endian.

| header | content |
| --- | --- |
| 8 bytes | ``PYGAMES1`` |
| uint32 | length of the text |
| uint32 | CRC-32 of the text |
| text | JSON; blanks at its end make the header's length a multiple of 32 |

| block | content |
| --- | --- |
| 4 bytes | ``GAME`` |
| uint32 | length of the games in bytes |
| uint32 | number of games |
| uint32 | number of moves in all games together |
| uint64 | number of the first game |
| uint32 | zero |
| uint32 | CRC-32 of these 28 bytes and the games |
| games | see `engine.datagen.game_record` |

The text names the ``evaluation`` that scored the games, and their ``settings``. A block is written
at once at the end of the file. If a process dies, the file remains readable: an incomplete block is
skipped, and cut off when the file is continued.
"""

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from engine.board.annotations import Words
from engine.board.position import new_position
from engine.datagen.game_record import MOVES, PLIES
from engine.datagen.soundness import find_games
from engine.file_lock import lock
from engine.files import open_descriptor, open_file

MAGIC, BLOCK = b"PYGAMES1", b"GAME"
_HEADER = struct.Struct("<8sII")
_BLOCK = struct.Struct("<4sIIIQI")
_CHECKSUM = struct.Struct("<I")
_BEFORE_GAMES = _BLOCK.size + _CHECKSUM.size
_ALIGNMENT = 32
_PIECE = 1 << 16
_LOCKED_BYTE = 1 << 40
"""Beyond the end of every file: on Windows no other process can read a locked byte."""

_LAST_NUMBER = 1 << 62
"""The largest number of a game, so that later ones can be counted in 64 bits."""

Facts = dict[str, Any]


class FormatError(ValueError):
    """The file is not a file of games, or not the expected one."""


class Block(NamedTuple):
    """A run of games: from byte ``start`` to ``end`` of the file at ``path``.

    ``words`` are the games, as 16-bit words that are not checked yet: see `split`.
    """

    path: Path
    start: int
    end: int
    first: int
    games: int
    positions: int
    words: Words


def encode_header(facts: Facts) -> bytes:
    """Return the header of a file with these ``facts``."""
    text = json.dumps(facts, sort_keys=True).encode()
    text += b" " * (-(_HEADER.size + len(text)) % _ALIGNMENT)
    return _HEADER.pack(MAGIC, len(text), zlib.crc32(text)) + text


def encode_block(first: int, games: Sequence[Words]) -> bytes:
    """Return a block of ``games``, arrays of words, whose first is number ``first``."""
    body = np.concatenate(games).astype("<u2").tobytes()
    plies = sum(int(words[PLIES]) for words in games)
    head = _BLOCK.pack(BLOCK, len(body), len(games), plies, first, 0)
    return head + _CHECKSUM.pack(zlib.crc32(body, zlib.crc32(head))) + body


def read_header(path: Path) -> tuple[Facts, int]:
    """Return the facts in the header and its length in bytes; `FormatError` for a bad header."""
    with open_file(path) as file:
        head = file.read(_HEADER.size)
        magic, length, checksum = _HEADER.unpack(head.ljust(_HEADER.size))
        if len(head) < _HEADER.size or magic != MAGIC:
            raise FormatError(f"{path} is not a file of games")
        room = os.fstat(file.fileno()).st_size - _HEADER.size
        text = file.read(length) if length <= room else b""  # or memory would be taken for it
    if len(text) < length or zlib.crc32(text) != checksum:
        raise FormatError(f"{path} has a damaged header")
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise FormatError(f"{path} has an invalid header")
    return facts, _HEADER.size + length


def open_games(path: Path) -> Iterator[Block]:
    """Yield the complete blocks of a file in order; `FormatError` for a bad header."""
    _, at = read_header(path)
    with open_file(path) as file:
        while True:
            block = block_at(path, file, at)
            if block is not None:
                yield block
                at = block.end
            elif (at := _find_block(file, at + 1)) < 0:
                return


def _find_block(file: IO[bytes], at: int) -> int:
    """Return where, from ``at`` on, a block may begin; -1 if nowhere."""
    file.seek(at)
    found = file.read(_PIECE)
    while (place := found.find(BLOCK)) < 0:
        kept = found[1 - len(BLOCK) :]  # a mark may have begun here
        at += len(found) - len(kept)
        found = kept + file.read(_PIECE)
        if len(found) == len(kept):
            return -1
    return at + place


def block_at(path: Path, file: IO[bytes], at: int) -> Block | None:
    """Return the block that begins at ``at``; ``None`` unless a complete block begins there.

    The file is read, not mapped: a memory map would crash the process if the file shrank meanwhile.
    """
    file.seek(at)
    head, sum_of_all = file.read(_BLOCK.size), file.read(_CHECKSUM.size)
    if not head.startswith(BLOCK) or len(sum_of_all) < _CHECKSUM.size:
        return None
    _, length, games, positions, first, _ = _BLOCK.unpack(head)
    (checksum,) = _CHECKSUM.unpack(sum_of_all)
    end = at + _BEFORE_GAMES + length
    if length % 2 or length < 2 * MOVES or first > _LAST_NUMBER:
        return None
    if end > os.fstat(file.fileno()).st_size:  # or memory would be taken for it
        return None
    body = file.read(length)
    if zlib.crc32(body, zlib.crc32(head)) != checksum:
        return None
    words = np.frombuffer(body, "<u2").astype(np.uint16)
    return Block(path, at, end, first, games, positions, words)


def split(block: Block) -> list[Words]:
    """Return the games of a block, each as an array of words.

    Raises `FormatError` unless all of them are legal, from the start position to the last move of
    every line, and as many as the block's header says.
    """
    words = block.words
    ends = np.zeros(len(words) // MOVES, np.int64)
    number = int(find_games(new_position(), words, ends))
    if number == 0 or ends[number - 1] < len(words):
        raise FormatError(
            f"{block.path}: game {block.first + number} is invalid:"
            " an illegal position or move, or a wrong length"
        )
    games = np.split(words, ends[: number - 1])
    positions = sum(int(game[PLIES]) for game in games)
    if (number, positions) != (block.games, block.positions):
        raise FormatError(
            f"{block.path}: the block at byte {block.start} has {number} games with {positions}"
            f" moves, but its header says {block.games} and {block.positions}"
        )
    return games


def fingerprint(words: Words) -> bytes:
    """Return 16 bytes that identify a game."""
    return hashlib.blake2b(words.tobytes(), digest_size=16).digest()


class Appender:
    """A file of games that grows. ``games`` and ``positions`` count what it holds."""

    def __init__(self, path: Path, facts: Facts) -> None:
        """Continue the file, or create it with a header of ``facts``.

        Raises `FormatError` if it is not a file of games, has other facts, or is being written by
        another process.
        """
        self.games = self.positions = self.next = 0
        self.last: Words | None = None
        """The last game, or ``None``."""
        self._file = open_descriptor(path, os.O_RDWR | os.O_CREAT)
        try:
            os.lseek(self._file, _LOCKED_BYTE, os.SEEK_SET)
            if not lock(self._file, wait=False):
                raise FormatError(f"{path} is being written by another process")
            self._continue(path, encode_header(facts))
        except BaseException:
            os.close(self._file)
            raise

    def append(self, games: Sequence[Words]) -> None:
        """Add a block of games, arrays of words."""
        if games:
            self._write(encode_block(self.next, games))
            self._count(len(games), sum(int(words[PLIES]) for words in games), self.next)

    def close(self) -> None:
        """Flush everything to the disk and close the file."""
        try:
            os.fsync(self._file)
        finally:
            os.close(self._file)

    def _continue(self, path: Path, header: bytes) -> None:
        """Go to the end of the last complete block, and cut off what follows."""
        end, size = len(header), os.fstat(self._file).st_size
        if size < end and header.startswith(path.read_bytes()):  # killed within the header
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            self._write(header)
            return
        known, end = read_header(path)
        if encode_header(known) != header:
            raise FormatError(f"{path} was created with other settings or by another engine")
        block = None
        for block in open_games(path):
            self._count(block.games, block.positions, block.first)
        if block is not None:
            self.last = split(block)[-1]
            end = block.end
        os.ftruncate(self._file, end)
        os.lseek(self._file, end, os.SEEK_SET)

    def _count(self, games: int, positions: int, first: int) -> None:
        self.games += games
        self.positions += positions
        self.next = max(self.next, first + games)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
