"""Which quiet moves give check, without making them.

Only by the piece that moves: what a king, a pawn or a castling rook does, and discovered checks,
are left out, as rare among the moves that this is asked of.
"""

import numpy as np

from engine.board.annotations import Bitboard, Flag, Move, Piece, Position, Square
from engine.board.attacks import bishop_attacks, knight_attacks, rook_attacks
from engine.board.bitboard import NOTHING, bit
from engine.board.move import origin_of, target_of
from engine.board.position import king_square, occupied
from engine.board.types import BISHOP, KNIGHT, QUEEN, ROOK
from engine.jit.kernel import kernel


@kernel
def checking_squares(
    piece_type: Piece, king: Square, diagonal: Bitboard, straight: Bitboard
) -> Bitboard:
    """Return the squares from which a piece attacks the ``king``, none for pawns and kings.

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
def checks_itself(pos: Position, move: Move) -> Flag:
    """Return whether the piece that a quiet ``move`` moves gives check, see above."""
    king, everyone = king_square(pos, pos.side ^ 1), occupied(pos)
    piece_type = np.int64(pos.board[origin_of(move)]) % 6
    squares = checking_squares(
        piece_type, king, bishop_attacks(king, everyone), rook_attacks(king, everyone)
    )
    return squares & bit(target_of(move)) != NOTHING
