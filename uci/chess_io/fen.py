"""Reads FEN and EPD leniently; reports what was ignored or assumed."""

import re
from collections import deque
from collections.abc import Iterator

import chess

from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number

_WORD = re.compile(r"[^\s;]+")
_ANY, _NOT_A_NUMBER, _COUNTER = map(re.compile, (".+", r"(?![+-]?[0-9]+\Z).+", r"-|[+-]?[0-9]+"))
_FIELDS = (_ANY, _ANY, _NOT_A_NUMBER, _NOT_A_NUMBER, _COUNTER, _COUNTER)
"""Patterns of the fields: board, side, castling, en passant, halfmove clock, move number.

All but the first two may be missing.
"""

_CASTLING = re.compile(r"-|[KQA-Hkqa-h]+")
_EN_PASSANT = re.compile(r"-|[a-h][1-8]")
_OPERATION = re.compile(r'(?:"[^"]*"|[^;])+')
_COUNTER_OPERATION = re.compile(r"(hmvc|fmvn)\s+([0-9]+)")

MAX_CLOCK, MAX_NUMBER = 1000, 1_000_000
"""Maximum halfmove clock and move number; larger values are clamped."""

# Faults that make a position unusable. An impossible check is accepted; invalid castling rights
# and en passant squares are dropped.
_FATAL = {
    chess.STATUS_NO_WHITE_KING: "no white king",
    chess.STATUS_NO_BLACK_KING: "no black king",
    chess.STATUS_TOO_MANY_KINGS: "too many kings",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "more than 16 white pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "more than 16 black pieces",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "more than 8 white pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "more than 8 black pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn on the first or last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side to move can capture the king",
}


def read_fen(fen: str, chess960: bool | None = None) -> tuple[chess.Board, str]:
    """Return the board of a FEN or EPD, and a note on what was ignored or assumed, often empty.

    Board and side to move suffice. Castling rights may be in any order, and in Shredder's letters.
    Rights and en passant squares that contradict the pieces are dropped. So are rights that only
    Chess960 can have, if ``chess960`` is false, or if it is None and another right is dropped:
    then ``KQkq`` was written for a king that has castled. Counters may be missing, ``-`` or
    negative. Text after the fields is ignored, except EPD's ``hmvc`` and ``fmvn``. Raises
    `UciError` if no game of chess can be played from the position.
    """
    (placement, side, castling, en_passant, clock, number), ignored = _split(fen)
    if placement is None or side is None:
        raise UciError(f"illegal FEN, expected board and side to move: {shorten(fen)}")
    for name, field, form in (
        ("castling rights", castling, _CASTLING),
        ("en passant square", en_passant, _EN_PASSANT),
    ):
        if field is not None and not form.fullmatch(field):
            raise UciError(f"illegal FEN, {name} {shorten(field)}: {shorten(fen)}")
    board = _board(f"{placement} {side} - {en_passant or '-'} 0 1", fen)
    halfmoves = _counter(clock, 0, MAX_CLOCK)
    moves = _counter(number, 1, MAX_NUMBER)
    board.halfmove_clock, board.fullmove_number = halfmoves or 0, moves or 1
    dropped = list(_set_castling(board, castling or "-", chess960))
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        dropped.append(f"en passant {en_passant}")
        board.ep_square = None
    assumed = [
        text
        for text, missing in (
            ("castling -", castling is None),
            ("en passant -", en_passant is None),
            ("halfmove clock 0", halfmoves is None),
            ("move number 1", moves is None),
        )
        if missing
    ]
    notes = (("ignored", ignored), ("assumed", assumed), ("dropped", dropped))
    return board, "; ".join(f"{what} {shorten(', '.join(which))}" for what, which in notes if which)


def _split(fen: str) -> tuple[list[str | None], list[str]]:
    """Return the six fields, ``None`` for missing ones, and the rest, which is ignored."""
    text = fen.strip()
    ignored = []
    if text[:1] in ("'", '"'):
        ignored.append("quotes")
        text = text.strip(text[0])
    words = deque(_WORD.finditer(text))
    fields = [
        words.popleft()[0] if words and form.fullmatch(words[0][0]) else None for form in _FIELDS
    ]
    if fields[0] is not None and fields[0].endswith("/"):
        ignored.append("/ after the board")
        fields[0] = fields[0].rstrip("/")
    known: dict[str, str] = {}
    for match in _OPERATION.finditer(text, words[0].start()) if words else ():
        operation = match[0].strip()
        if counter := _COUNTER_OPERATION.fullmatch(operation):
            known[counter[1]] = counter[2]
        elif operation:
            ignored.append(operation)
    if fields[4] is None:  # an EPD
        fields[4:] = known.get("hmvc", "0"), known.get("fmvn", "1")
    return fields, ignored


def _board(fen: str, given: str) -> chess.Board:
    """Return the board of a FEN without castling rights. Raises `UciError` if it is unplayable."""
    try:
        board = chess.Board(fen, chess960=True)
    except ValueError as error:
        why, _, _ = str(error).partition(" part of fen: ")
        raise UciError(f"illegal FEN, {why}: {shorten(given)}") from None
    status = board.status()
    for flag, reason in _FATAL.items():
        if status & flag:
            raise UciError(f"illegal FEN, {reason}: {shorten(given)}")
    if any(len(board.pieces(chess.QUEEN, colour)) > 9 for colour in chess.COLORS):
        raise UciError(f"illegal FEN, more than 9 queens: {shorten(given)}")
    return board


def _counter(text: str | None, least: int, most: int) -> int | None:
    """Return a counter, clamped to ``most``; ``None`` if missing, ``-`` or below ``least``."""
    number = whole_number(text or "")
    return None if number is None or number < least else min(number, most)


def _set_castling(board: chess.Board, castling: str, chess960: bool | None) -> Iterator[str]:
    """Set the castling rights that the pieces allow; yield the rights that are dropped."""
    rooks = {}
    for flag in castling.replace("-", ""):
        board.set_castling_fen(flag)
        rooks[flag] = board.castling_rights
    board.castling_rights = sum(set(rooks.values()))
    possible = board.clean_castling_rights()
    board.chess960 = all(r & possible for r in rooks.values()) if chess960 is None else chess960
    board.castling_rights = board.clean_castling_rights()
    board.chess960 = True
    if chess960 is None:
        possible = board.castling_rights
    if lost := "".join(flag for flag, rook in rooks.items() if not rook & possible):
        yield f"castling {lost}"
    possible &= ~board.castling_rights
    if lost := "".join(flag for flag, rook in rooks.items() if rook & possible):
        yield f"castling {lost} (UCI_Chess960 is false)"
