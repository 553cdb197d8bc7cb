"""The lines of text files of any encoding, and where each begins."""

import codecs
import io
from collections.abc import Iterator
from typing import IO

from uci.chess_io.compressed import Joined

LONGEST = 1 << 22
"""Characters of a line; a longer one comes in pieces."""

BLANKS = dict.fromkeys(map(ord, "\0\x1a\ufeff"), " ")
"""What a power failure, DOS and joined files leave in a text."""


def text_lines(stream: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the lines with the bytes before them; they end as on Unix, on Windows, or on old Macs.

    A line that is longer than a game may be comes in pieces.
    """
    start = stream.read(3)
    mark, encoding = _encoding(start)
    bytewise = encoding == "utf-8"  # each character of this text is a byte
    text = io.TextIOWrapper(
        io.BufferedReader(Joined(start[len(mark) :], stream)),
        "latin-1" if bytewise else encoding,
        errors="replace",
        newline="",
    )
    offset = len(mark)
    while line := text.readline(LONGEST + 1):
        raw = line.encode("latin-1" if bytewise else encoding)
        decoded = _decode(raw) if bytewise else line
        yield offset, decoded.rstrip("\r\n").translate(BLANKS)
        offset += len(raw)


def _encoding(start: bytes) -> tuple[bytes, str]:
    """Return a file's mark and its encoding from its first bytes."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if start.startswith(mark):
            return mark, encoding
    if len(start) > 1 and bool(start[0]) != bool(start[1]):
        return b"", "utf-16-be" if not start[0] else "utf-16-le"
    return b"", "utf-8"


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")
