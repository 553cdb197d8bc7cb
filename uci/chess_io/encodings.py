"""The encoding of a text that is not UTF-8, from the words in it that are not ASCII."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

LATIN = ("cp1252", "cp1250", "iso8859_2", "cp850")
"""Encodings of Latin letters, the likeliest first: West and Central Europe, Unix, DOS."""

OTHERS = ("cp1251", "koi8_r", "cp866", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1253",
          "cp1255", "cp1256")  # fmt: skip
"""Encodings of other letters: Cyrillic, Chinese, Japanese, Korean, Greek, Hebrew, Arabic."""

MULTIBYTE = {"gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"}

SAMPLE = 1 << 14
"""Bytes of words to judge by."""

SURE = 32
"""Bytes beyond ASCII from which on a library's answer is more than a guess."""

DENSE = 0.45
"""Share of bytes beyond ASCII in words of other than Latin letters: in those it is far lower."""

_WORD = re.compile(rb"[^\s\"()]+")
_BEFORE_LETTERS = "‘“„«‹¿¡–—…·"
_BEHIND_LETTERS = "’”“‘»›…–—·™®°ªº"
_BETWEEN_LETTERS = "’–—·…"


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding as Python calls it, and whether it was ``detected``, or merely is likely."""

    name: str
    detected: bool = False

    @property
    def is_multibyte(self) -> bool:
        """Whether a letter has several bytes."""
        return self.name in MULTIBYTE

    def __str__(self) -> str:
        if self.detected:
            return f"not UTF-8; charset-normalizer detects {self.name}"
        more = "" if _library() else "; the extra [analysis] detects others"
        return f"not UTF-8; {self.name} is assumed{more}"


def encoding_of(lines: Iterable[bytes]) -> Encoding:
    """Return the encoding of lines that are not UTF-8.

    charset-normalizer tells other than Latin letters apart, where it is installed. Of Latin ones it
    cannot see enough in names: there the encoding is taken that leaves the fewest signs in words.
    """
    words = _words_beyond_ascii(lines)
    beyond = sum(byte > 0x7F for byte in words)
    if beyond >= DENSE * len(words.replace(b" ", b"")) and (library := _library()):
        best = library.from_bytes(words, cp_isolation=[*OTHERS, *LATIN]).best()
        if best is not None and best.encoding in OTHERS:
            return Encoding(best.encoding, detected=beyond >= SURE)
    return Encoding(min(LATIN, key=lambda name: _signs_in_words(words.decode(name, "replace"))))


def _words_beyond_ascii(lines: Iterable[bytes]) -> bytes:
    """Return the words that are not ASCII, up to `SAMPLE` bytes, in time linear in the text."""
    found = bytearray()
    for line in lines:
        for word in _WORD.finditer(line):
            if not word[0].isascii():
                found += b" " + word[0]
                if len(found) > SAMPLE:
                    return bytes(found[1 : SAMPLE + 1])
    return bytes(found[1:])


def _library() -> ModuleType | None:
    """Return charset-normalizer, or None."""
    try:
        return import_module("charset_normalizer")
    except ImportError:
        return None


def _signs_in_words(text: str) -> int:
    """Return how many characters beyond ASCII stand at letters where no word has them."""
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
