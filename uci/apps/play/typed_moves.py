"""Reads moves as people type them; explains why a move is not possible."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

import chess

from uci.apps.games.move_reading import (
    CASTLING,
    SAN,
    SQUARES,
    IllegalMove,
    MissingPromotion,
    UnreadableMove,
    fitting,
    piece_of,
    plain,
    readings,
)
from uci.apps.games.move_reading import read_move as read_legal_move
from uci.errors import UciError, shorten


def read_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move that ``text`` means. Raises `UciError` with the reason if there is
    none.

    `uci.apps.games.move_reading` lists the accepted notations.
    """
    try:
        return read_legal_move(board, text)
    except MissingPromotion as error:
        names = ", ".join(error.names)
        raise UciError(f"promote to which piece? {names}") from None
    except IllegalMove:
        raise UciError(_why_illegal(board, plain(text))) from None
    except UnreadableMove:
        raise UciError(_unknown(text, (board.san(move) for move in board.legal_moves))) from None


def _why_illegal(board: chess.Board, word: str) -> str:
    """Return why a move is illegal."""
    if castling := CASTLING.fullmatch(word):
        return _why_not_castle(board, kingside=castling[1] is None)
    if squares := SQUARES.fullmatch(word):
        return _why_not_squares(board, squares)
    found = readings(word)
    for each in found:
        if moves := fitting(board, board.legal_moves, each):
            return f"{board.san(moves[0])} is not a promotion"
    meant = next(filter(_can_be, found), found[-1])
    return _why_not(board, meant, meant[0])


def _can_be(found: re.Match[str]) -> bool:
    """Return whether the files can be those of a move: a pawn changes by at most one."""
    return bool(found[1]) or not found[2] or abs(ord(found[2]) - ord(found[4][0])) <= 1


def _why_not_squares(board: chess.Board, found: re.Match[str]) -> str:
    """Return why there is no move from one square to another."""
    text = f"{found[1]}{found[2]}"
    piece = board.piece_at(chess.parse_square(found[1]))
    if piece is None:
        return f"{text}: there is no piece on {found[1]}"
    if piece.color != board.turn:
        return f"{text}: the {chess.piece_name(piece.piece_type)} on {found[1]} is not yours"
    if found[3] and chess.Move.from_uci(text) in board.legal_moves:
        return f"{text} is not a promotion"
    letter = "" if piece.piece_type == chess.PAWN else piece.symbol().upper()
    san = SAN.fullmatch(f"{letter}{found[1]}{found[2]}")
    assert san is not None
    return _why_not(board, san, text)


def _why_not(board: chess.Board, found: re.Match[str], text: str) -> str:
    """Return why no move matches a text in SAN."""
    piece = piece_of(found)
    name, target = chess.piece_name(piece), chess.parse_square(found[4])
    if not board.pieces(piece, board.turn):
        return f"{text}: you have no {name}"
    own = board.piece_at(target)
    if own is not None and own.color == board.turn:
        return f"{text}: your own {chess.piece_name(own.piece_type)} is on {found[4]}"
    if fitting(board, board.pseudo_legal_moves, found):
        if board.is_check():
            return f"{text}: your king would still be in check"
        return f"{text}: your king would be in check"
    goes = sorted(
        {board.san(m) for m in board.legal_moves if board.piece_type_at(m.from_square) == piece}
    )
    where = f"from {found[2] or ''}{found[3] or ''} " if found[2] or found[3] else ""
    takes = [san for san in goes if san[1:].startswith(f"x{found[4]}")]
    if piece == chess.PAWN and takes:
        return f"{text}: pawns capture diagonally: {' or '.join(takes)}"
    can = f"; your {name} moves: {', '.join(goes)}" if goes else ""
    return f"{text}: no {name} can go {where}to {found[4]}{can}"


def _why_not_castle(board: chess.Board, kingside: bool) -> str:
    """Return why castling is not possible."""
    name = "O-O" if kingside else "O-O-O"
    has = board.has_kingside_castling_rights if kingside else board.has_queenside_castling_rights
    if not has(board.turn):
        return f"{name}: king or rook has moved"
    if board.is_check():
        return f"{name}: your king is in check"
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
        return f"{name}: the piece on {square} is in the way"
    return f"{name}: your king would cross or reach an attacked square"


def _unknown(text: str, moves: Iterable[str]) -> str:
    near = get_close_matches(text.strip(), [*moves], n=2)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{shorten(text)} is neither a move nor a command{meant}"
