"""Cuts PGN files into games, however they are broken.

python-chess reads one game well. Where games begin and end it asks blank lines, which people leave
out or put anywhere, and comments, which people forget to close: so one broken game would swallow
others. Here a game begins where tags follow moves.
"""

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

LONGEST = 1 << 22
"""Characters of a game; a longer one is named and not read."""

LONGEST_LINE = 1 << 20

TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"?\s*\]?\s*$')
WHOLE_TAG = re.compile(r'\s*\[\s*\w+\s+"(?:[^"\\]|\\.)*"\s*\]\s*$')
FIRST_TAG = re.compile(r'\s*\[\s*Event\s+"')
LIKE_A_TAG = re.compile(r"\s*\[\s*[A-Za-z]")


@dataclass(slots=True)
class RawGame:
    """The text of a game: its tags, a blank line, its moves without blank lines.

    ``number`` counts from 1 in its file, ``offset`` is in bytes. ``broken`` says what is wrong with
    the text, if anything is.
    """

    number: int
    offset: int
    tags: list[str] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    broken: str = ""
    size: int = 0

    @property
    def text(self) -> str:
        """The game as python-chess reads it."""
        return "\n".join([*self.tags, "", *self.moves, ""])

    def add(self, lines: list[str], line: str) -> None:
        """Add a line, unless the game is too long."""
        self.size += len(line)
        if self.size > LONGEST:
            self.broken = self.broken or f"it is longer than {LONGEST >> 20} MB"
        else:
            lines.append(line)


def split_games(stream: IO[bytes]) -> Iterator[RawGame]:
    """Yield the games of a file or a pipe one by one, in any encoding.

    UTF-16 is known by its mark; all else is UTF-8, or cp1252 in lines that are not.
    """
    game, in_comment = RawGame(1, 0), False
    for offset, line in text_lines(stream):
        if in_comment and FIRST_TAG.match(line):
            game.broken = game.broken or "a comment is not closed: { without }"
            in_comment = False
        if not in_comment and LIKE_A_TAG.match(line):
            if game.moves or (FIRST_TAG.match(line) and any(map(FIRST_TAG.match, game.tags))):
                yield game
                game = RawGame(game.number + 1, offset)
            if WHOLE_TAG.match(line):
                game.add(game.tags, line)
            else:
                game.broken = game.broken or f"a broken tag: {line.strip()[:60]}"
        elif line.strip() and not (line.startswith("%") and not in_comment):
            if not game.moves and not game.tags:
                game.offset = offset
            game.add(game.moves, line)
            in_comment = ends_in_comment(line, in_comment)
    if in_comment:
        game.broken = game.broken or "a comment is not closed: { without }"
    if game.tags or game.moves:
        yield game


def ends_in_comment(line: str, inside: bool) -> bool:
    """Return whether a comment in braces is open at the end of ``line``; ``inside`` at its start.

    They do not nest, and after a semicolon a brace is text.
    """
    for character in line:
        if inside:
            inside = character != "}"
        elif character == "{":
            inside = True
        elif character == ";":
            return False
    return inside


def text_lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text in any encoding, each with the number of bytes before it."""
    start = stream.read(3)
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        yield from _wide_lines(start, stream)
        return
    offset = 0
    if start == codecs.BOM_UTF8:
        start, offset = b"", 3
    rest = io.BufferedReader(_Joined(start, stream))
    while raw := rest.readline(LONGEST_LINE):
        yield offset, _decode(raw).rstrip("\r\n")
        offset += len(raw)


def _wide_lines(start: bytes, stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    decoded = io.TextIOWrapper(
        io.BufferedReader(_Joined(start, stream)), "utf-16", errors="replace", newline=""
    )
    offset = 2
    while line := decoded.readline(LONGEST_LINE):
        yield offset, line.rstrip("\r\n")
        offset += 2 * len(line)


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


class _Joined(io.RawIOBase):
    """A stream with what was read of it put back."""

    def __init__(self, start: bytes, stream: IO[bytes]) -> None:
        self._start, self._stream = start, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._start[: len(buffer)] or self._stream.read(len(buffer))
        self._start = self._start[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)
