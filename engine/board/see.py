"""Static exchange evaluation: what a series of captures on one square is worth."""

import numpy as np

from engine.board.annotations import Flag, Move, Piece, Position, Score
from engine.board.attacks import (
    bishop_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
)
from engine.board.bitboard import NOTHING, bit
from engine.board.move import flag_of, origin_of, promoted_type, target_of
from engine.board.position import occupancy
from engine.board.types import (
    BISHOP,
    CAPTURE,
    CASTLE,
    EN_PASSANT,
    KING,
    KNIGHT,
    PAWN,
    PROMOTION,
    QUEEN,
    ROOK,
)
from engine.jit.intrinsics import lsb
from engine.jit.kernel import kernel

_VALUE = np.array([100, 320, 330, 500, 950, 20000], dtype=np.int64)


@kernel
def piece_value(piece_type: Piece) -> Score:
    """Return the exchange value of a piece type, in centipawns."""
    return _VALUE[piece_type]


@kernel
def material_gain(pos: Position, move: Move) -> Score:
    """Return the material that ``move`` itself wins, in centipawns of `piece_value`."""
    flag, gain = flag_of(move), np.int64(0)
    if flag == EN_PASSANT:
        gain = piece_value(PAWN)
    elif flag & CAPTURE:
        gain = piece_value(np.int64(pos.board[target_of(move)]) % 6)
    if flag & PROMOTION:
        gain += piece_value(promoted_type(move)) - piece_value(PAWN)
    return gain


@kernel
def see_at_least(pos: Position, move: Move, threshold: Score) -> Flag:
    """Return whether the exchange that starts with ``move`` wins at least ``threshold`` centipawns.

    Both sides capture with their least valuable piece and may stop at any time; x-ray attackers
    join in, pins are ignored, a king never captures a defended piece, and recapturing pawns do not
    promote. A running balance (as in Stockfish's ``see_ge``) ends most exchanges early.
    """
    flag = flag_of(move)
    if flag == CASTLE:
        return threshold <= 0
    origin, target = origin_of(move), target_of(move)
    balance = material_gain(pos, move) - threshold
    if balance < 0:
        return False
    piece = promoted_type(move) if flag & PROMOTION else np.int64(pos.board[origin]) % 6
    balance -= piece_value(piece)
    if balance >= 0:
        return True

    diagonal = pos.by_type[BISHOP] | pos.by_type[QUEEN]
    straight = pos.by_type[ROOK] | pos.by_type[QUEEN]
    blockers = (occupancy(pos) | bit(target)) ^ bit(origin)
    if flag == EN_PASSANT:
        blockers ^= bit(target ^ 8)
    every = (
        pawn_attacks(0, target) & pos.by_type[PAWN] & pos.by_colour[1]
        | pawn_attacks(1, target) & pos.by_type[PAWN] & pos.by_colour[0]
        | knight_attacks(target) & pos.by_type[KNIGHT]
        | king_attacks(target) & pos.by_type[KING]
        | bishop_attacks(target, blockers) & diagonal
        | rook_attacks(target, blockers) & straight
    )
    side = pos.side
    wins = True
    while True:
        side ^= 1
        every &= blockers
        mine = every & pos.by_colour[side]
        if mine == NOTHING:
            return wins
        piece = PAWN
        while mine & pos.by_type[piece] == NOTHING:
            piece += 1
        if piece == KING:
            return wins if every & pos.by_colour[side ^ 1] != NOTHING else not wins
        wins = not wins
        balance = -balance - 1 - piece_value(piece)
        if balance >= 0:
            return wins
        blockers ^= bit(lsb(mine & pos.by_type[piece]))
        if piece == PAWN or piece == BISHOP or piece == QUEEN:
            every |= bishop_attacks(target, blockers) & diagonal
        if piece == ROOK or piece == QUEEN:
            every |= rook_attacks(target, blockers) & straight
