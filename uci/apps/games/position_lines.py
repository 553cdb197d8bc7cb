"""Reads files of positions line by line, so that memory stays flat."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import IO

from uci.apps.console.arguments import STREAM
from uci.chess_io.compressed import decompressed, open_text
from uci.chess_io.encodings import Encoding
from uci.chess_io.text_files import text_lines

COMMENTS = ("#", "%", "//")
"""What a line without a position begins with."""


@dataclass(frozen=True, slots=True)
class PositionLine:
    """A line of text, its number from 1, and its offset in the file in bytes."""

    number: int
    offset: int
    text: str


def open_positions(name: str) -> AbstractContextManager[IO[bytes]]:
    """Open a file, ``-`` being standard input, which stays open. Raises `OSError`."""
    return nullcontext(decompressed(sys.stdin.buffer)) if name == STREAM else open_text(name)


def position_lines(stream: IO[bytes], report: Callable[[Encoding], None]) -> Iterator[PositionLine]:
    """Yield the lines that are neither blank nor comments. Raises `OSError`."""
    for number, (offset, text) in enumerate(text_lines(stream, report), 1):
        if text.strip() and not text.lstrip().startswith(COMMENTS):
            yield PositionLine(number, offset, text)
