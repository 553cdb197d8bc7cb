"""Moves as people type them, in SAN or UCI; and what is wrong with those that cannot be made."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

import chess

from uci.protocol.commands import UciError, shorten

_GLYPHS = str.maketrans("♔♕♖♗♘♚♛♜♝♞", "KQRBNKQRBN", "♙♟\ufe0e\ufe0f")
_DASHES = str.maketrans("–—−‐", "----")
_SQUARES = re.compile(r"([a-h][1-8])[-x:]?([a-h][1-8])[=/(]?([nbrqNBRQ])?\)?")
_SAN = re.compile(r"([KQRBN])?([a-h])?([1-8])?[-x:]?([a-h][1-8])(?:[=/(]?([A-Za-z])\)?)?")
_CASTLING = re.compile(r"[oO0]-?[oO0](-?[oO0])?")


def read_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move that ``text`` means. Raises `UciError`, which says why there is none.

    Glyphs, ``0-0``, signs such as ``!?`` and small letters for pieces are understood.
    """
    word = text.strip().translate(_GLYPHS).translate(_DASHES)
    word = re.sub(r"(\s*e\.?p\.?)?[+#!?]*$", "", word)
    legal = list(board.legal_moves)
    if castling := _CASTLING.fullmatch(word):
        return _castle(board, legal, kingside=castling[1] is None)
    if squares := _SQUARES.fullmatch(word):
        return _by_squares(board, squares)
    readings = [found for each in _spellings(word) if (found := _SAN.fullmatch(each))]
    for found in readings:
        fitting = _fitting(board, legal, found)
        if len({move.from_square for move in fitting}) == 1:
            return _promoted(board, fitting, found[5])
        if fitting:
            names = sorted(board.san(move) for move in fitting)
            raise UciError(f"{shorten(word)} is ambiguous: {' or '.join(names)}")
    if readings:
        meant = next(filter(_can_be, readings), readings[-1])
        raise UciError(_why_not(board, meant, meant[0]))
    raise UciError(_unknown(text, (board.san(move) for move in legal)))


def _spellings(word: str) -> list[str]:
    """Return a word as it stands, then with a capital for a piece: ``bc3`` may be a pawn's."""
    capital = word[:1].upper() + word[1:]
    return [word, capital] if word[:1] in "kqrbn" else [word]


def _can_be(found: re.Match[str]) -> bool:
    """Return whether the files are those of a move: a pawn's go to the next one at most."""
    return bool(found[1]) or not found[2] or abs(ord(found[2]) - ord(found[4][0])) <= 1


def _fitting(
    board: chess.Board, moves: Iterable[chess.Move], found: re.Match[str]
) -> list[chess.Move]:
    """Return the moves that a text in SAN may mean, castling left aside."""
    piece = chess.PIECE_SYMBOLS.index(found[1].lower()) if found[1] else chess.PAWN
    target = chess.parse_square(found[4])
    return [
        move
        for move in moves
        if move.to_square == target
        and board.piece_type_at(move.from_square) == piece
        and not board.is_castling(move)
        and found[2] in (None, chess.FILE_NAMES[chess.square_file(move.from_square)])
        and found[3] in (None, chess.RANK_NAMES[chess.square_rank(move.from_square)])
        and (piece != chess.PAWN or found[2] or not board.is_capture(move))
    ]


def _promoted(board: chess.Board, moves: list[chess.Move], to: str | None) -> chess.Move:
    """Return the one of several promotions that is meant."""
    first = moves[0]
    if first.promotion is None:
        if to is not None:
            raise UciError(f"{board.san(first)} promotes nothing")
        return first
    for move in moves:
        if to and move.promotion and chess.piece_symbol(move.promotion) == to.lower():
            return move
    names = ", ".join(board.san(move) for move in moves)
    raise UciError(f"which piece shall the pawn become? {names}")


def _by_squares(board: chess.Board, found: re.Match[str]) -> chess.Move:
    """Return the move between two squares."""
    origin, target = chess.parse_square(found[1]), chess.parse_square(found[2])
    text = f"{found[1]}{found[2]}"
    try:
        move = board.parse_uci(text + (found[3] or "").lower())
    except ValueError:
        move = chess.Move.null()
    if move:
        return move
    promotions = [m for m in board.legal_moves if (m.from_square, m.to_square) == (origin, target)]
    if promotions and promotions[0].promotion:
        names = ", ".join(move.uci() for move in promotions)
        raise UciError(f"which piece shall the pawn become? {names}")
    piece = board.piece_at(origin)
    if piece is None:
        raise UciError(f"{text}: nothing stands on {found[1]}")
    if piece.color != board.turn:
        raise UciError(f"{text}: the {_name(piece.piece_type)} on {found[1]} is not yours")
    letter = "" if piece.piece_type == chess.PAWN else piece.symbol().upper()
    san = _SAN.fullmatch(f"{letter}{found[1]}{found[2]}")
    assert san is not None
    raise UciError(_why_not(board, san, text))


def _why_not(board: chess.Board, found: re.Match[str], text: str) -> str:
    """Return why no move fits a text in SAN."""
    piece = chess.PIECE_SYMBOLS.index(found[1].lower()) if found[1] else chess.PAWN
    name, target = _name(piece), chess.parse_square(found[4])
    if not board.pieces(piece, board.turn):
        return f"{text}: you have no {name}"
    own = board.piece_at(target)
    if own is not None and own.color == board.turn:
        return f"{text}: your own {_name(own.piece_type)} stands on {found[4]}"
    if _fitting(board, board.pseudo_legal_moves, found):
        if board.is_check():
            return f"{text}: your king would still be in check"
        return f"{text}: your king would be in check"
    goes = sorted(
        {board.san(m) for m in board.legal_moves if board.piece_type_at(m.from_square) == piece}
    )
    where = f"from {found[2] or ''}{found[3] or ''} " if found[2] or found[3] else ""
    takes = [san for san in goes if san[1:].startswith(f"x{found[4]}")]
    if piece == chess.PAWN and takes:
        return f"{text}: pawns take from the side: {' or '.join(takes)}"
    can = f"; your {name} moves: {', '.join(goes)}" if goes else ""
    return f"{text}: no {name} can go {where}to {found[4]}{can}"


def _castle(board: chess.Board, legal: Iterable[chess.Move], kingside: bool) -> chess.Move:
    """Return the move that castles, or say what is in its way."""
    name = "O-O" if kingside else "O-O-O"
    for move in legal:
        if board.is_castling(move) and board.is_kingside_castling(move) == kingside:
            return move
    has = board.has_kingside_castling_rights if kingside else board.has_queenside_castling_rights
    if not has(board.turn):
        raise UciError(f"{name}: king or rook have moved, or were never in place")
    if board.is_check():
        raise UciError(f"{name}: not while your king is in check")
    king = board.king(board.turn)
    assert king is not None
    back = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    rooks = board.castling_rights & back
    rook = (chess.msb if kingside else chess.lsb)(rooks)
    rank = chess.A1 if board.turn else chess.A8
    ends = rank + (chess.G1 if kingside else chess.C1), rank + (chess.F1 if kingside else chess.D1)
    way = chess.between(king, rook)
    for start, end in zip((king, rook), ends, strict=True):
        way |= chess.between(start, end) | chess.BB_SQUARES[end]
    between = way & board.occupied & ~(chess.BB_SQUARES[king] | chess.BB_SQUARES[rook])
    if between:
        square = chess.square_name(chess.lsb(between))
        raise UciError(f"{name}: the piece on {square} is in the way")
    raise UciError(f"{name}: your king would pass or reach a square that is attacked")


def _unknown(text: str, moves: Iterable[str]) -> str:
    near = get_close_matches(text.strip(), [*moves], n=2)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{shorten(text)} is neither a move nor a command{meant}"


def _name(piece: chess.PieceType) -> str:
    return chess.piece_name(piece)
