"""Which moves give check, without making them."""

import numpy as np

from engine.board.annotations import Bitboard, Flag, Move, Piece, Position, Square
from engine.board.attacks import bishop_attacks, knight_attacks, pawn_attacks, rook_attacks
from engine.board.bitboard import NOTHING, bit
from engine.board.move import origin_of, target_of
from engine.board.position import king_square, occupancy
from engine.board.types import BISHOP, KNIGHT, PAWN, QUEEN, ROOK
from engine.jit.kernel import kernel


@kernel
def checking_squares(
    piece_type: Piece, king: Square, diagonal: Bitboard, straight: Bitboard
) -> Bitboard:
    """Return the squares from which a piece attacks the ``king``; empty if it is a pawn or a king.

    ``diagonal`` and ``straight`` are what a bishop and a rook would attack from the king's square.
    """
    if piece_type == KNIGHT:
        return knight_attacks(king)
    if piece_type == BISHOP:
        return diagonal
    if piece_type == ROOK:
        return straight
    return diagonal | straight if piece_type == QUEEN else NOTHING


@kernel
def gives_check(pos: Position, move: Move) -> Flag:
    """Return whether ``move`` gives check, discovered checks included.

    Not seen are checks by a castling rook or a promoted piece, and those discovered by removing a
    pawn that is captured en passant.
    """
    origin, target = bit(origin_of(move)), bit(target_of(move))
    king, mine = king_square(pos, pos.side ^ 1), pos.by_colour[pos.side] & ~origin
    after = occupancy(pos) & ~origin | target
    diagonal, straight = bishop_attacks(king, after), rook_attacks(king, after)
    queens = pos.by_type[QUEEN]
    uncovered = diagonal & (pos.by_type[BISHOP] | queens) | straight & (pos.by_type[ROOK] | queens)
    if uncovered & mine != NOTHING:
        return True
    piece_type = np.int64(pos.board[origin_of(move)]) % 6
    if piece_type == PAWN:
        return pawn_attacks(pos.side ^ 1, king) & target != NOTHING
    return checking_squares(piece_type, king, diagonal, straight) & target != NOTHING
