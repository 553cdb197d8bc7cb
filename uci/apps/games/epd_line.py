"""Parses a line of EPD, and repairs common errors in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from uci.apps.games.move_reading import SIGNS, without_en_passant
from uci.errors import shorten

# The kinds of repairs, in the plural: messages count them.
FOUR_FIELDS = "six-field FENs"
COUNTERS = "invalid counters"
QUOTES = "wrong quotes"
UNQUOTED = "texts without quotes"
SEMICOLON = "missing semicolons"
MARKS = "marks, commas, numbers or blanks at moves"
AVOID = "unreadable moves to avoid"
CONTROL = "control characters"

MOVES = frozenset({"bm", "am", "pm", "pv", "sm"})
LONGEST_LINE = 10_000
"""Maximum length of a line in characters."""

LONGEST_MOVE = 40
"""Maximum length of a move with its number and marks."""

NUMBERS = frozenset({"acd", "acn", "acs", "ce", "dm", "fmvn", "hmvc", "rc"})

_OPCODE = r"(?:bm|am|pm|pv|sm|acd|acn|acs|ce|dm|fmvn|hmvc|rc|id|eco|c[0189]|v\d)"
"""Opcodes that cannot be moves: c5 is a pawn's move, but c8 is not, without a promotion."""

_POSITION = re.compile(r"\s*([^\s;]+)\s+([^\s;]+)\s+([^\s;]+)\s+([^\s;]+)")
_COUNTERS = re.compile(r"\s+(-|[+-]?\d+)(?:\s+(-|[+-]?\d+))?(?=[\s;]|$)")
_WORD = re.compile(r"[^\s;]+")
_CLOSING = {'"': '"', "'": "'", "“": '”“"', "„": '“”"', "«": "»", "‘": "’'", "‚": "‘’'"}
_QUOTED = {
    opening: re.compile(rf"{opening}((?:\\.|[^\\])*?)[{closing}](?=\s*(?:;|$|{_OPCODE}\s))")
    for opening, closing in _CLOSING.items()
}
_QUOTES = "".join(_CLOSING) + "".join(_CLOSING.values())
_MOVES = re.compile(rf"(?:(?!(?<!\S)(?:{_OPCODE}\s|c\d\s*['\"]|#\s))[^;])*")
_ID = re.compile(rf"(?:(?!\s(?:{_OPCODE})\s)[^;])*")
_TEXT = re.compile(r"[^;]*")
_NUMERIC = re.compile(r"[-+]?\d*(?:\.\d*)?\s*")
_CONTROL = re.compile(r"[^\S \t]|[\x00-\x08\x0e-\x1f\x7f\u200b\u200e\u200f\u2060\ufeff]")
"""Control characters and Unicode spaces."""

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}

_ONE_CHECK = re.compile(r"(?<=.)[+#]$")
_MOVE_NUMBER = re.compile(r"^\d+(?:\.+…?|…)")
_MARKS = f"{SIGNS}⩲⩱±∓□"
_NAG = re.compile(r"(.*)\$\d+")
_CASTLING = re.compile(r"[o0]-[o0](?:-[o0])?", re.IGNORECASE)
_PROMOTED = re.compile(r"(?<=[18])\s{0,9}[=(/]\s{0,9}([QRBNqrbn])\b(?:\s{0,9}\))?")
_HYPHEN = re.compile(r"(?<=\w)\s{0,9}-\s{0,9}(?=\w)")
_FIGURINES = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP")


class BadEpd(ValueError):
    """Raised if a line cannot be used; the message is the reason."""


@dataclass(frozen=True, slots=True)
class EpdLine:
    """The position as a FEN of six fields, and the operands by opcode, texts without quotes.

    ``repairs`` are the repairs of `FOUR_FIELDS` to `CONTROL` that were needed.
    """

    fen: str
    operands: dict[str, str]
    repairs: set[str] = field(default_factory=set)

    def moves(self, opcode: str) -> list[str]:
        """Return the move words of an operation, in any notation, without marks and numbers."""
        return list(clean_moves(self.operands.get(opcode, ""), self.repairs))


def read_line(text: str) -> EpdLine:
    """Parse a line. Raises `BadEpd`."""
    if len(text) > LONGEST_LINE:
        raise BadEpd(f"the line has {len(text):,} characters, the maximum is {LONGEST_LINE:,}")
    repairs: set[str] = set()
    if _CONTROL.search(text):
        repairs.add(CONTROL)
        text = _CONTROL.sub(" ", text)
    position = _POSITION.match(text)
    if position is None:
        raise BadEpd(f"not a position: {shorten(text.strip())}")
    at, counters = position.end(), ("0", "1")
    if found := _COUNTERS.match(text, at):
        repairs.add(FOUR_FIELDS)
        at, clock, number = found.end(), found[1], found[2] or "1"
        if not (clock.isdecimal() and number.isdecimal()):
            repairs.add(COUNTERS)
        counters = clock if clock.isdecimal() else "0", number if number.isdecimal() else "1"
    operands = _operands(text[at:], repairs)
    halfmoves, number = (
        operands.get(name, default) if operands.get(name, "").isdecimal() else default
        for name, default in zip(("hmvc", "fmvn"), counters, strict=True)
    )
    return EpdLine(" ".join([*position.groups(), halfmoves, number]), operands, repairs)


def _operands(text: str, repairs: set[str]) -> dict[str, str]:
    """Return the operands by opcode; if a list of moves comes twice, they are joined."""
    found: dict[str, str] = {}
    unclosed: set[str] = set()
    at = 0
    # A comment begins with `#`.
    while (word := _WORD.match(text, _skipped(text, at))) and word[0][0] != "#":
        opcode = word[0].lower() if word[0].lower() in MOVES | NUMBERS | {"id"} else word[0]
        at = _skipped(text, word.end(), ";")
        operand, at = _operand(opcode, text, at, repairs, unclosed)
        after = _skipped(text, at, ";")
        if after < len(text) and text[after] != ";":
            repairs.add(SEMICOLON)
        if opcode in MOVES and opcode in found:
            operand = f"{found[opcode]} {operand}"
        found[opcode] = operand
    return found


def _skipped(text: str, at: int, stop: str = "") -> int:
    """Return where the next word begins, but not beyond a ``stop``."""
    while at < len(text) and (text[at].isspace() or text[at] == ";") and text[at] != stop:
        at += 1
    return at


def _operand(
    opcode: str, text: str, at: int, repairs: set[str], unclosed: set[str]
) -> tuple[str, int]:
    """Return the operand that begins at ``at``, and where it ends.

    Quotes in ``unclosed`` are not closed on this line, and need not be searched for again.
    """
    opening = text[at : at + 1]
    if opening in _QUOTED:
        quoted = None if opening in unclosed else _QUOTED[opening].match(text, at)
        if quoted is None:
            unclosed.add(opening)
        if quoted is None or opening != '"' or opcode in MOVES:
            repairs.add(QUOTES)
        if quoted:
            return _unescaped(quoted[1]), quoted.end()
        bare = _TEXT.match(text, at)
        assert bare is not None
        return bare[0].strip(f"{_QUOTES} \t"), bare.end()
    if opcode in MOVES:
        pattern = _MOVES
    elif opcode in NUMBERS:
        pattern = _WORD
    else:
        pattern = _ID if opcode == "id" else _TEXT
    bare = pattern.match(text, at)
    if bare is None:  # the operation has no operand
        return "", at
    if pattern in (_ID, _TEXT) and not _NUMERIC.fullmatch(bare[0]):
        repairs.add(UNQUOTED)
    return bare[0].strip(), bare.end()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)


def clean_moves(text: str, repairs: set[str]) -> Iterator[str]:
    """Yield the moves of a list without numbers, marks, check signs, commas and inner blanks."""
    plain = _HYPHEN.sub("-", _PROMOTED.sub(lambda found: f"={found[1].upper()}", text))
    if "," in text or plain != text:
        repairs.add(MARKS)
    for word in re.split(r"[\s,]+", plain):
        if len(word) > LONGEST_MOVE:
            yield word
            continue
        move = _MOVE_NUMBER.sub("", word).translate(_FIGURINES)
        move = _unmarked(move).replace(":", "x")
        if _CASTLING.fullmatch(move):
            move = move.upper().replace("0", "O")
        if word and _ONE_CHECK.sub("", word).replace("0", "O") != move.replace("0", "O"):
            repairs.add(MARKS)
        if move:
            yield move


def _unmarked(word: str) -> str:
    """Return a move without the marks after it."""
    bare = word.rstrip(_MARKS)
    nag = _NAG.fullmatch(bare)
    bare = nag[1] if nag else without_en_passant(bare)
    return bare if bare == word else _unmarked(bare)
