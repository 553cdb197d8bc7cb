"""Yields the lines of text files in any encoding, with their offsets in bytes."""

import codecs
import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import IO

from uci.chess_io.compressed import DamagedFile, Joined
from uci.chess_io.encodings import Encoding, encoding_of

LONGEST = 1 << 22
"""Maximum length of a line in characters; longer ones are split."""

AHEAD = 1 << 20
"""Number of bytes, from the first line that is not UTF-8, that determine the encoding."""

BLANKS = dict.fromkeys(map(ord, "\0\x1a\ufeff"), " ")
"""Characters to drop: NUL (after power failures), DOS's end of file, marks of joined files."""


Report = Callable[[Encoding], None]
"""Called with the encoding of a text that is not UTF-8, once it is determined."""


def text_lines(
    stream: IO[bytes], report: Report = lambda encoding: None
) -> Iterator[tuple[int, str]]:
    """Yield each line with its offset in bytes. Line ends of Unix, Windows and old Macs are
    accepted.

    UTF-16 is detected by its byte order mark or its zeros. All else is read as UTF-8; from the
    first invalid line on, `encoding_of` determines the encoding of the invalid lines. Lines longer
    than any game are split. Raises `OSError`.
    """
    start = stream.read(3)
    mark, encoding = _encoding(start)
    bytewise = encoding == "utf-8"  # one character is one byte
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
    """Yield each line as bytes and as text."""
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
        names.reverse()  # a word may be valid UTF-8 by chance
    for raw in chain(ahead, raws):
        yield raw, _decode(raw, names)
    if damage is not None:
        raise damage


def _read_ahead(first: bytes, raws: Iterator[bytes]) -> tuple[list[bytes], DamagedFile | None]:
    """Return the lines that determine the encoding, and the error if the file ends early."""
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
    """Return a line, decoded by the first encoding that fits."""
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
    """Return a file's byte order mark and its encoding, from its first bytes."""
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
