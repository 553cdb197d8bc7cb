"""Reads moves as people and programs write them: SAN, long algebraic, UCI, figurines."""

import re
from collections.abc import Iterable, Sequence

import chess

from uci.errors import UciError, shorten

LONGEST = 64
"""Maximum length of a move with its marks."""

SIGNS = "+#!?†‡"
"""Characters that may follow a move."""

_EN_PASSANT = ("(e.p.)", "(ep)", "e.p.", "e.p", "ep")
_PLAIN = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟–—−‐‑×:", "KQRBNPKQRBNP-----xx", "\ufe0e\ufe0f")

CASTLING = re.compile(r"[oO0]-?[oO0](-?[oO0])?")
SQUARES = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])(?:[=/(]{0,2}([nbrqNBRQ])\)?)?")
SAN = re.compile(r"([KQRBNP])?([a-h])?([1-8])?[-x]?([a-h][1-8])(?:[=/(]{0,2}([A-Za-z])\)?)?")


class UnreadableMove(UciError):
    """A text that is not a move in any notation."""


class IllegalMove(UciError):
    """A text that is a move, but not a legal one."""


class AmbiguousMove(UciError):
    """A text that several legal moves match; ``names`` are these in SAN."""

    def __init__(self, word: str, names: Sequence[str]) -> None:
        super().__init__(f"{word} is ambiguous: {' or '.join(names)}")
        self.names = names


class MissingPromotion(AmbiguousMove):
    """A pawn's move to the last rank without a promotion piece."""


def read_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move that ``text`` means.

    It accepts figurines, ``0-0``, ``e8(Q)``, ``Pe4``, marks such as ``!?`` and lower-case piece
    letters. Raises `UnreadableMove`, `IllegalMove` or `AmbiguousMove`.
    """
    if len(text) > LONGEST:
        raise UnreadableMove(f"{shorten(text)} is not a move")
    word = plain(text)
    try:
        move = board.parse_san(word)  # most are standard SAN
    except ValueError:
        move = chess.Move.null()
    return move or _search(board, word)


def plain(text: str) -> str:
    """Return a move in ASCII, without the marks after it."""
    word = text.strip().translate(_PLAIN).rstrip(SIGNS)
    return without_en_passant(word).rstrip(SIGNS)


def without_en_passant(word: str) -> str:
    """Return a move without a trailing ``e.p.``."""
    for words in _EN_PASSANT:
        if word.endswith(words):
            return word.removesuffix(words).rstrip()
    return word


def readings(word: str) -> list[re.Match[str]]:
    """Return the possible readings of a plain word as SAN: ``bc3`` as a pawn's move first."""
    capital = word[:1].upper() + word[1:]
    spellings = [word, capital] if word[:1] in ("k", "q", "r", "b", "n", "p") else [word]
    return [found for each in spellings if (found := SAN.fullmatch(each))]


def fitting(
    board: chess.Board, moves: Iterable[chess.Move], found: re.Match[str]
) -> list[chess.Move]:
    """Return the moves that match a text in SAN, other than castling."""
    piece = piece_of(found)
    target = chess.parse_square(found[4])
    return [
        move
        for move in moves
        if move.to_square == target
        and board.piece_type_at(move.from_square) == piece
        and not board.is_castling(move)
        and found[2] in (None, chess.FILE_NAMES[chess.square_file(move.from_square)])
        and found[3] in (None, chess.RANK_NAMES[chess.square_rank(move.from_square)])
        and (piece != chess.PAWN or found[1] or found[2] or not board.is_capture(move))
    ]


def piece_of(found: re.Match[str]) -> chess.PieceType:
    """Return the type of the piece that a text in SAN moves."""
    return chess.PIECE_SYMBOLS.index(found[1].lower()) if found[1] else chess.PAWN


def _search(board: chess.Board, word: str) -> chess.Move:
    """Return the legal move of a word that is not standard SAN."""
    name = shorten(word)
    if castling := CASTLING.fullmatch(word):
        for move in board.generate_castling_moves():
            if board.is_kingside_castling(move) == (castling[1] is None):
                return move
        raise IllegalMove(f"{name} is illegal")
    if squares := SQUARES.fullmatch(word):
        return _by_squares(board, name, squares)
    found = readings(word)
    for each in found:
        moves = fitting(board, board.legal_moves, each)
        if len({move.from_square for move in moves}) == 1:
            return _promoted(board, name, moves, each[5])
        if moves:
            raise AmbiguousMove(name, sorted(board.san(move) for move in moves))
    raise IllegalMove(f"{name} is illegal") if found else UnreadableMove(f"{name} is not a move")


def _by_squares(board: chess.Board, name: str, found: re.Match[str]) -> chess.Move:
    try:
        return board.parse_uci(found[1] + found[2] + (found[3] or "").lower())
    except ValueError:
        squares = chess.parse_square(found[1]), chess.parse_square(found[2])
    moves = [m for m in board.legal_moves if (m.from_square, m.to_square) == squares]
    if not moves:
        raise IllegalMove(f"{name} is illegal")
    return _promoted(board, name, moves, found[3], in_uci=True)


def _promoted(
    board: chess.Board, name: str, moves: list[chess.Move], to: str | None, in_uci: bool = False
) -> chess.Move:
    """Return the promotion that is meant, of several."""
    first = moves[0]
    if first.promotion is None:
        if to is not None:
            raise IllegalMove(f"{name} is illegal: it is not a promotion")
        return first
    for move in moves:
        if to and move.promotion and chess.piece_symbol(move.promotion) == to.lower():
            return move
    raise MissingPromotion(name, [move.uci() if in_uci else board.san(move) for move in moves])
