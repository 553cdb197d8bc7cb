"""Splits PGN files into games, even if they are malformed.

python-chess reads one game well. It finds the borders of games by blank lines, which people leave
out or put anywhere, and by comments, which people forget to close: one broken game would swallow
others. Here a game begins where tags follow moves, or moves follow a result.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from uci.apps.games.pgn_words import RESULT
from uci.chess_io.compressed import DamagedFile
from uci.chess_io.text_files import LONGEST, Report, text_lines

NAME = r"\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"
TAG = re.compile(NAME + r'"((?:[^"\\]|\\.)*)"\s*\]')
LOOSE_TAG = re.compile(NAME + r'"(.*)"\s*\]\s*$')
"""A tag, also with quotes or backslashes that should have been escaped."""

LIKE_A_TAG = re.compile(r'\s*\[\s*[^\W_][^\s\]"]*\s+\S')
ROSTER_TAG = re.compile(r'\s*\[\s*(?:Event|Site|Date|Round|White|Black|Result)\s+"')
"""The start of a line that cannot be inside a comment."""

ESCAPE = re.compile(r"%|\s*\[/?pgn\]\s*$")
"""Lines to ignore: PGN's escapes, and markup of forums."""

FIRST_MOVE = re.compile(r"\s*1\s*\.(?!\s*[.…])")
REMARK = re.compile(rf"\s*(?:[{{;()$]|{RESULT}\s*$)")
"""Text that may follow a result and still belong to the game."""

MARK = re.compile(
    rf"\{{[^}}]*(?P<closed>}})?|;.*|(?P<open>\()|(?P<close>\))"
    rf"|(?P<result>{RESULT})(?=[\s{{}}();]|$)|(?P<other>[^\s{{}}();]+)"
)

UNCLOSED = "a comment is not closed: { without }"


@dataclass(slots=True)
class RawGame:
    """The text of a game: its tags, one per line in PGN format, and the lines of its moves.

    ``number`` counts from 1 in its file; ``offset`` is in bytes. ``broken`` is the error of the
    text, if there is one.
    """

    number: int
    offset: int
    tags: list[str] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    broken: str = ""
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.tags or self.moves or self.broken)

    def add(self, lines: list[str], line: str) -> None:
        """Add a line, unless the game is too long."""
        self.size += len(line)
        if self.size > LONGEST:
            self.fail(f"it is longer than {LONGEST >> 20} MB")
        else:
            lines.append(line)

    def fail(self, why: str) -> None:
        """Record an error; the first one is kept."""
        self.broken = self.broken or why


@dataclass(slots=True)
class _Place:
    """The state at the end of a line: in a comment, a variation, after a move or the result."""

    comment: bool = False
    depth: int = 0
    begun: bool = False
    over: bool = False

    def read(self, line: str) -> None:
        """Advance to the end of the next line. Braces do not nest; after a semicolon, they are
        text."""
        start = 0
        if self.comment:
            start = line.find("}") + 1
            self.comment = not start
        for mark in MARK.finditer(line, start if not self.comment else len(line)):
            if mark["other"] or mark["result"]:
                self.begun = True
                self.over = bool(mark["result"]) if not self.depth else self.over
            elif mark["open"] or mark["close"]:
                self.depth = max(0, self.depth + (1 if mark["open"] else -1))
            elif mark[0].startswith("{"):
                self.comment = not mark["closed"]

    def ends_before(self, line: str) -> bool:
        """Return whether a line of moves belongs to another game."""
        if self.over:
            return not REMARK.match(line)
        return self.begun and not self.depth and bool(FIRST_MOVE.match(line))


def split_games(stream: IO[bytes], report: Report = lambda encoding: None) -> Iterator[RawGame]:
    """Yield the games of a file or pipe one by one, in any encoding: see `text_lines`.

    ``report`` receives an encoding that is not UTF-8. If compressed data are damaged, the current
    game ends there.
    """
    game, place = RawGame(1, 0), _Place()
    try:
        for offset, line in text_lines(stream, report):
            tags: list[str] = []
            broken = False
            if place.comment and ROSTER_TAG.match(line):
                game.fail(UNCLOSED)
                place = _Place(begun=True)
            if not place.comment:
                if not line.strip() or ESCAPE.match(line):
                    continue
                tags, line = take_tags(line)
                broken = bool(LIKE_A_TAG.match(line))
                if (
                    place.begun or (tags and game.tags and _name(tags[0]) == _name(game.tags[0]))
                    if tags or broken
                    else place.ends_before(line)
                ):
                    yield game
                    game, place = RawGame(game.number + 1, offset), _Place()
            if not game:
                game.offset = offset
            for tag in tags:
                game.add(game.tags, tag)
            if broken:
                game.fail(f"a broken tag: {line.strip()[:60]}")
            elif line or place.comment:
                game.add(game.moves, line)
                place.read(line)
    except DamagedFile as error:
        game.broken = str(error.strerror)
    if place.comment:
        game.fail(UNCLOSED)
    if game:
        yield game


def take_tags(line: str) -> tuple[list[str], str]:
    """Return the tags at the start of a line in PGN format, and the text after them."""
    tags, end = [], 0
    while found := TAG.match(line, end) or LOOSE_TAG.match(line, end):
        tags.append(f'[{found[1]} "{escape(unescape(found[2]))}"]')
        end = found.end()
    return tags, line[end:].lstrip() if tags else line


def escape(value: str) -> str:
    """Return a tag's value as it stands between quotes."""
    return re.sub(r'["\\]', r"\\\g<0>", value)


def unescape(value: str) -> str:
    """Return a tag's value without escapes."""
    return re.sub(r'\\(["\\])', r"\1", value)


def _name(tag: str) -> str:
    return tag.partition(" ")[0]
