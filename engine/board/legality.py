"""Whether a move from elsewhere, such as the table or a killer slot, is legal here."""

import numpy as np

from engine.board.annotations import Bitboard, Count, Flag, Move, Piece, Position, Square
from engine.board.attacks import (
    between,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    line,
    pawn_attacks,
    queen_attacks,
    rook_attacks,
)
from engine.board.bitboard import BACK_RANKS, NOTHING, bit, more_than_one
from engine.board.makemove import en_passant_legal
from engine.board.move import flag_of, origin_of, target_of
from engine.board.movegen import castling_legal
from engine.board.position import attackers, king_square, occupancy, pinned_pieces
from engine.board.types import (
    BISHOP,
    CAPTURE,
    CASTLE,
    DOUBLE_PUSH,
    EMPTY,
    EN_PASSANT,
    KING,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    PROMOTION,
    QUIET,
    ROOK,
)
from engine.jit.intrinsics import lsb
from engine.jit.kernel import kernel


@kernel
def _pawn_can(pos: Position, origin: Square, target: Square, flag: Count) -> Flag:
    """Return whether the pawn move is pseudo-legal, en passant excluded."""
    promotes = bit(target) & BACK_RANKS != NOTHING
    if promotes != (flag & PROMOTION != 0):
        return False
    if flag & CAPTURE:
        return pawn_attacks(pos.side, origin) & bit(target) != NOTHING
    up = 8 if pos.side == 0 else -8
    if flag == DOUBLE_PUSH:
        second_rank = 1 if pos.side == 0 else 6
        return (
            origin >> 3 == second_rank
            and target == origin + 2 * up
            and pos.board[origin + up] == EMPTY
        )
    return target == origin + up


@kernel
def _piece_reaches(piece_type: Piece, origin: Square, target: Square, blockers: Bitboard) -> Flag:
    if piece_type == KNIGHT:
        reached = knight_attacks(origin)
    elif piece_type == BISHOP:
        reached = bishop_attacks(origin, blockers)
    elif piece_type == ROOK:
        reached = rook_attacks(origin, blockers)
    elif piece_type == KING:
        reached = king_attacks(origin)
    else:
        reached = queen_attacks(origin, blockers)
    return reached & bit(target) != NOTHING


@kernel
def is_legal(pos: Position, move: Move) -> Flag:
    """Return whether ``move``, any 16 bits, is one of the legal moves of ``pos``."""
    us, them = pos.side, pos.side ^ 1
    origin, target, flag = origin_of(move), target_of(move), flag_of(move)
    piece = np.int64(pos.board[origin])
    if piece == EMPTY or piece // 6 != us or origin == target:
        return False
    piece_type = piece % 6
    king = king_square(pos, us)

    if flag == CASTLE:
        if piece_type != KING or pos.checkers != NOTHING:
            return False
        index = 2 * us + (0 if target > origin else 1)
        return (
            pos.castling >> index & 1 != 0
            and np.int64(pos.castling_rook[index]) == target
            and castling_legal(pos, index)
        )
    if flag == EN_PASSANT:
        return (
            piece_type == PAWN
            and pos.en_passant != NO_SQUARE
            and target == pos.en_passant
            and pawn_attacks(us, origin) & bit(target) != NOTHING
            and en_passant_legal(pos, origin, target)
        )
    captured = np.int64(pos.board[target])
    if (captured != EMPTY) != (flag & CAPTURE != 0):
        return False
    if captured != EMPTY and captured // 6 == us:
        return False
    occupied = occupancy(pos)
    if piece_type == PAWN:
        if flag == 3 or flag == 6 or flag == 7 or not _pawn_can(pos, origin, target, flag):
            return False
    else:
        if flag != QUIET and flag != CAPTURE:
            return False
        if not _piece_reaches(piece_type, origin, target, occupied):
            return False
    if piece_type == KING:
        return attackers(pos, target, them, occupied ^ bit(king)) == NOTHING
    if pos.checkers != NOTHING:
        if more_than_one(pos.checkers):
            return False
        if (pos.checkers | between(king, lsb(pos.checkers))) & bit(target) == NOTHING:
            return False
    return (
        pinned_pieces(pos, us) & bit(origin) == NOTHING
        or line(king, origin) & bit(target) != NOTHING
    )
