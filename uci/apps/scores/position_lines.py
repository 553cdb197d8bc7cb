"""Reads a file of positions line by line, so that memory stays flat."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import IO

from uci.apps.console.arguments import STREAM
from uci.chess_io.compressed import decompressed, open_text
from uci.chess_io.encodings import Encoding
from uci.chess_io.text_files import text_lines
from uci.errors import UciError, reason, shorten

COMMENTS = ("#", "%", "//")
"""What a line without a position begins with."""

NODES_PER_BATCH, MOST_IN_BATCH = 500_000, 500
"""A batch takes about a second: see `batch_size`."""

DEPTH_BATCH = 16
"""Positions of a batch where the limit is a depth: how long those take is unknown."""


@dataclass(frozen=True, slots=True)
class PositionLine:
    """A line of text, its number from 1, and its offset in the file in bytes."""

    number: int
    offset: int
    text: str


@contextmanager
def open_positions(name: str) -> Iterator[IO[bytes]]:
    """Open a file, ``-`` being standard input. Raises `UciError`."""
    try:
        stream = decompressed(sys.stdin.buffer) if name == STREAM else open_text(name)
    except OSError as error:
        raise UciError(f"{shorten(name)}: {reason(error)}") from None
    with stream:
        yield stream


def position_lines(stream: IO[bytes], report: Callable[[Encoding], None]) -> Iterator[PositionLine]:
    """Yield the lines that are neither blank nor comments. Raises `OSError`."""
    for number, (offset, text) in enumerate(text_lines(stream, report), 1):
        if text.strip() and not text.lstrip().startswith(COMMENTS):
            yield PositionLine(number, offset, text)


def batch_size(limit: tuple[str, int]) -> int:
    """Return the number of positions for a task of a reasonable length."""
    name, number = limit
    if name == "depth":
        return DEPTH_BATCH
    return max(1, min(MOST_IN_BATCH, NODES_PER_BATCH // number))


def batches(lines: Iterator[PositionLine], size: int) -> Iterator[list[PositionLine]]:
    """Yield the lines, ``size`` at a time."""
    while batch := list(islice(lines, size)):
        yield batch
