"""Cuts PGN files into games, however they are broken.

python-chess reads one game well. Where games begin and end it asks blank lines, which people leave
out or put anywhere, and comments, which people forget to close: so one broken game would swallow
others. Here a game begins where tags follow moves, or moves a result.
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
"""With quotes or backslashes that should have been escaped."""

LIKE_A_TAG = re.compile(r'\s*\[\s*[^\W_][^\s\]"]*\s+\S')
ROSTER_TAG = re.compile(r'\s*\[\s*(?:Event|Site|Date|Round|White|Black|Result)\s+"')
"""What no comment has at the start of a line."""

ESCAPE = re.compile(r"%|\s*\[/?pgn\]\s*$")
"""Lines that are not of the game: PGN's own, and those of forums."""

FIRST_MOVE = re.compile(r"\s*1\s*\.(?!\s*[.…])")
REMARK = re.compile(rf"\s*(?:[{{;()$]|{RESULT}\s*$)")
"""What may follow a result and still be of the same game."""

MARK = re.compile(
    rf"\{{[^}}]*(?P<closed>}})?|;.*|(?P<open>\()|(?P<close>\))"
    rf"|(?P<result>{RESULT})(?=[\s{{}}();]|$)|(?P<other>[^\s{{}}();]+)"
)

UNCLOSED = "a comment is not closed: { without }"


@dataclass(slots=True)
class RawGame:
    """The text of a game: its tags, one a line as PGN writes them, and the lines of its moves.

    ``number`` counts from 1 in its file, ``offset`` is in bytes. ``broken`` says what is wrong with
    the text, if anything is.
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
        """Say what is wrong; what was said first stays."""
        self.broken = self.broken or why


@dataclass(slots=True)
class _Place:
    """Where the end of a line is: in a comment, in variations, after a move, after the result."""

    comment: bool = False
    depth: int = 0
    begun: bool = False
    over: bool = False

    def read(self, line: str) -> None:
        """Go to the end of the next line. Braces do not nest, and are text after a semicolon."""
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
        """Return whether a line of moves is of another game."""
        if self.over:
            return not REMARK.match(line)
        return self.begun and not self.depth and bool(FIRST_MOVE.match(line))


def split_games(stream: IO[bytes], report: Report = lambda encoding: None) -> Iterator[RawGame]:
    """Yield the games of a file or a pipe one by one, in any encoding: see `text_lines`.

    ``report`` is told an encoding that is not UTF-8. Where compressed data are damaged, the game
    ends that is read there.
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
    """Return the tags at the start of a line as PGN writes them, and what follows them."""
    tags, end = [], 0
    while found := TAG.match(line, end) or LOOSE_TAG.match(line, end):
        tags.append(f'[{found[1]} "{escape(unescape(found[2]))}"]')
        end = found.end()
    return tags, line[end:].lstrip() if tags else line


def escape(value: str) -> str:
    """Return a tag's value as it stands between quotes."""
    return re.sub(r'["\\]', r"\\\g<0>", value)


def unescape(value: str) -> str:
    """Return what a tag's value means."""
    return re.sub(r'\\(["\\])', r"\1", value)


def _name(tag: str) -> str:
    return tag.partition(" ")[0]
