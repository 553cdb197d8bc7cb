"""Detects the encoding of a text that is not UTF-8, from its words that are not ASCII."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

LATIN = ("cp1252", "cp1250", "iso8859_2", "cp850")
"""Encodings of Latin letters, most likely first: West and Central Europe, Unix, DOS."""

OTHERS = ("cp1251", "koi8_r", "cp866", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1253",
          "cp1255", "cp1256")  # fmt: skip
"""Encodings of other letters: Cyrillic, Chinese, Japanese, Korean, Greek, Hebrew, Arabic."""

MULTIBYTE = {"gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"}

SAMPLE = 1 << 14
"""Maximum number of bytes to examine."""

SURE = 32
"""Minimum number of non-ASCII bytes for a reliable answer of charset-normalizer."""

DENSE = 0.45
"""Minimum share of non-ASCII bytes in non-Latin words; in Latin words it is far lower."""

_WORD = re.compile(rb"[^\s\"()]+")
_BEFORE_LETTERS = "‘“„«‹¿¡–—…·"
_BEHIND_LETTERS = "’”“‘»›…–—·™®°ªº"
_BETWEEN_LETTERS = "’–—·…"


@dataclass(frozen=True, slots=True)
class Encoding:
    """The name of an encoding in Python, and whether it was ``detected`` or is only assumed."""

    name: str
    detected: bool = False

    @property
    def is_multibyte(self) -> bool:
        """Whether a letter takes several bytes."""
        return self.name in MULTIBYTE

    def __str__(self) -> str:
        if self.detected:
            return f"not UTF-8; charset-normalizer detects {self.name}"
        more = "" if _library() else "; install the extra [analysis] to detect others"
        return f"not UTF-8; {self.name} is assumed{more}"


def encoding_of(lines: Iterable[bytes]) -> Encoding:
    """Return the encoding of lines that are not UTF-8.

    charset-normalizer, if installed, detects the encodings of non-Latin letters. Names in Latin
    letters are too short for it; for those, the encoding with the fewest symbols inside words is
    returned.
    """
    words = _words_beyond_ascii(lines)
    beyond = sum(byte > 0x7F for byte in words)
    if beyond >= DENSE * len(words.replace(b" ", b"")) and (library := _library()):
        best = library.from_bytes(words, cp_isolation=[*OTHERS, *LATIN]).best()
        if best is not None and best.encoding in OTHERS:
            return Encoding(best.encoding, detected=beyond >= SURE)
    return Encoding(min(LATIN, key=lambda name: _signs_in_words(words.decode(name, "replace"))))


def _words_beyond_ascii(lines: Iterable[bytes]) -> bytes:
    """Return the words that are not ASCII, up to `SAMPLE` bytes, in linear time."""
    found = bytearray()
    for line in lines:
        for word in _WORD.finditer(line):
            if not word[0].isascii():
                found += b" " + word[0]
                if len(found) > SAMPLE:
                    return bytes(found[1 : SAMPLE + 1])
    return bytes(found[1:])


def _library() -> ModuleType | None:
    """Return charset-normalizer, or None if it is not installed."""
    try:
        return import_module("charset_normalizer")
    except ImportError:
        return None


def _signs_in_words(text: str) -> int:
    """Return the number of non-ASCII symbols next to letters, where words have none."""
    count = 0
    for before, sign, behind in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        if sign.isascii() or _is_letter(sign):
            continue
        if _is_letter(before) and _is_letter(behind):
            count += sign not in _BETWEEN_LETTERS
        elif _is_letter(before):
            count += sign not in _BEHIND_LETTERS
        elif _is_letter(behind):
            count += sign not in _BEFORE_LETTERS
    return count


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LM"
