"""Threatened pieces: a part of the network's inputs.

A piece is *threatened* if one of less value attacks it, or if it is attacked and not defended.
Knights and bishops have the same value; a king is never threatened. Quiescence resolves captures,
but where it stops, the network has to judge what hangs (inputs from attacks: Stockfish, 2025).
"""

from engine.board.annotations import Bitboard
from engine.board.attacks import king_attacks
from engine.board.bitboard import NINE, NOT_FILE_A, NOT_FILE_H, SEVEN, U64
from engine.jit.intrinsics import lsb, slider_attacks
from engine.jit.kernel import kernel

_ONE, _TWO, _EIGHT, _SIXTEEN = U64(1), U64(2), U64(8), U64(16)
_NOT_FILES_AB, _NOT_FILES_GH = U64(0xFCFCFCFCFCFCFCFC), U64(0x3F3F3F3F3F3F3F3F)


@kernel
def _by_knights(knights: Bitboard) -> Bitboard:
    """Return the squares that all ``knights`` attack."""
    near = (knights & NOT_FILE_A) >> _ONE | (knights & NOT_FILE_H) << _ONE
    far = (knights & _NOT_FILES_AB) >> _TWO | (knights & _NOT_FILES_GH) << _TWO
    return near << _SIXTEEN | near >> _SIXTEEN | far << _EIGHT | far >> _EIGHT


@kernel
def _attacks(
    mine: Bitboard,
    by_pawns: Bitboard,
    knights: Bitboard,
    bishops: Bitboard,
    rooks: Bitboard,
    queens: Bitboard,
    kings: Bitboard,
    occupied: Bitboard,
) -> tuple[Bitboard, Bitboard]:
    """Return what one side attacks with a piece of less value, and with any."""
    straight, diagonal = slider_attacks(rooks & mine, bishops & mine, occupied)
    by_minors = by_pawns | diagonal | _by_knights(knights & mine)
    by_rooks = by_minors | straight
    straight, diagonal = slider_attacks(queens & mine, queens & mine, occupied)
    by_any = by_rooks | straight | diagonal | king_attacks(lsb(kings & mine))
    majors = rooks | queens
    less = by_pawns & (knights | bishops | majors) | by_minors & majors | by_rooks & queens
    return less, by_any


@kernel
def threatened_pieces(
    white: Bitboard,
    black: Bitboard,
    pawns: Bitboard,
    knights: Bitboard,
    bishops: Bitboard,
    rooks: Bitboard,
    queens: Bitboard,
) -> Bitboard:
    """Return the threatened pieces of both colours; all other pieces are kings."""
    occupied = white | black
    kings = occupied & ~(pawns | knights | bishops | rooks | queens)
    mine = pawns & white
    by_pawns = (mine & NOT_FILE_A) << SEVEN | (mine & NOT_FILE_H) << NINE
    less_white, by_white = _attacks(
        white, by_pawns, knights, bishops, rooks, queens, kings, occupied
    )
    mine = pawns & black
    by_pawns = (mine & NOT_FILE_A) >> NINE | (mine & NOT_FILE_H) >> SEVEN
    less_black, by_black = _attacks(
        black, by_pawns, knights, bishops, rooks, queens, kings, occupied
    )
    found = white & (less_black | by_black & ~by_white)
    found |= black & (less_white | by_white & ~by_black)
    return found & ~kings
