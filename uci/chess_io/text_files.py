"""The lines of text files of any encoding, and where each begins."""

import codecs
import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import IO

from uci.chess_io.compressed import DamagedFile, Joined
from uci.chess_io.encodings import Encoding, encoding_of

LONGEST = 1 << 22
"""Characters of a line; a longer one comes in pieces."""

AHEAD = 1 << 20
"""Bytes from the first line that is not UTF-8 on, by which its encoding is judged."""

BLANKS = dict.fromkeys(map(ord, "\0\x1a\ufeff"), " ")
"""What a power failure, DOS and joined files leave in a text."""


Report = Callable[[Encoding], None]
"""Is told the encoding of a text that is not UTF-8, as soon as that is decided."""


def text_lines(
    stream: IO[bytes], report: Report = lambda encoding: None
) -> Iterator[tuple[int, str]]:
    """Yield the lines with the bytes before them; they end as on Unix, on Windows, or on old Macs.

    UTF-16 shows by its mark or its zeros. All else is UTF-8, and another encoding in lines that are
    not: see `encoding_of`, which sees the first such line and what follows it. A line that is
    longer than a game may be comes in pieces. Raises `OSError`.
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
    lines = iter(lambda: text.readline(LONGEST + 1), "")
    offset = len(mark)
    decoded = (
        _decoded((line.encode("latin-1") for line in lines), report)
        if bytewise
        else ((line.encode(encoding), line) for line in lines)
    )
    for raw, line in decoded:
        yield offset, line.rstrip("\r\n").translate(BLANKS)
        offset += len(raw)


def _decoded(raws: Iterator[bytes], report: Report) -> Iterator[tuple[bytes, str]]:
    """Yield lines of bytes and as text."""
    for raw in raws:
        try:
            yield raw, raw.decode()
        except UnicodeDecodeError:
            break
    else:
        return
    ahead, damage = _read_ahead(raw, raws)
    beyond = [line for line in ahead if not line.isascii()]
    wrong = [line for line in beyond if not _is_utf8(line)]
    encoding = encoding_of(wrong)
    report(encoding)
    names = ["utf-8", encoding.name]
    if encoding.is_multibyte and 2 * len(wrong) > len(beyond):
        names.reverse()  # a word may be UTF-8 by chance
    for raw in chain(ahead, raws):
        yield raw, _decode(raw, names)
    if damage is not None:
        raise damage


def _read_ahead(first: bytes, raws: Iterator[bytes]) -> tuple[list[bytes], DamagedFile | None]:
    """Return some lines from the first on, and what ends the file too early."""
    ahead, size = [first], 0
    try:
        for raw in raws:
            ahead.append(raw)
            size += len(raw)
            if size > AHEAD:
                break
    except DamagedFile as damage:
        return ahead, damage
    return ahead, None


def _decode(raw: bytes, names: Sequence[str]) -> str:
    """Return a line in the first encoding that it is in."""
    for name in names:
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(name)
    return raw.decode(names[-1], errors="replace")


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


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
