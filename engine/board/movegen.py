"""Legal move generation by check masks and pins."""

import numpy as np

from engine.board.annotations import Bitboard, Count, Flag, Position, Square
from engine.board.attacks import (
    between,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    line,
    pawn_attacks,
    rook_attacks,
)
from engine.board.bitboard import (
    BACK_RANKS,
    EIGHT,
    EVERYTHING,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    NOTHING,
    ONE,
    RANK_3,
    RANK_6,
    SEVEN,
    bit,
    more_than_one,
)
from engine.board.makemove import en_passant_legal, king_castles_to, rook_castles_to
from engine.board.move import encode
from engine.board.position import (
    POSITION,
    attackers,
    king_square,
    occupancy,
    pieces,
    pinned_pieces,
)
from engine.board.types import (
    ALL_MOVES,
    BISHOP,
    CAPTURE,
    CASTLE,
    DOUBLE_PUSH,
    EN_PASSANT,
    KNIGHT,
    NO_SQUARE,
    NOISY_MOVES,
    PAWN,
    PROMOTION,
    QUEEN,
    QUIET,
    QUIET_MOVES,
    ROOK,
    WHITE,
)
from engine.jit.intrinsics import lsb
from engine.jit.kernel import entry, kernel


@kernel
def _write(pos: Position, end: Count, origin: Square, targets: Bitboard, enemy: Bitboard) -> Count:
    """Write the moves from ``origin`` to every one of ``targets``."""
    while targets != NOTHING:
        target = lsb(targets)
        flag = CAPTURE if enemy & bit(target) != NOTHING else QUIET
        pos.moves[end] = encode(origin, target, flag)
        end += 1
        targets &= targets - ONE
    return end


@kernel
def _write_pawns(pos: Position, end: Count, targets: Bitboard, step: Count, flag: Count) -> Count:
    """Write the pawn moves that reach ``targets`` by ``step``."""
    while targets != NOTHING:
        target = lsb(targets)
        pos.moves[end] = encode(target - step, target, flag)
        end += 1
        targets &= targets - ONE
    return end


@kernel
def _write_promotions(
    pos: Position, end: Count, targets: Bitboard, step: Count, flag: Count
) -> Count:
    """Write four promotions for each of ``targets``, the queen first."""
    while targets != NOTHING:
        target = lsb(targets)
        for promoted in range(3, -1, -1):
            pos.moves[end] = encode(target - step, target, flag | PROMOTION | promoted)
            end += 1
        targets &= targets - ONE
    return end


@kernel
def _pawn_moves(
    pos: Position, end: Count, pawns: Bitboard, allowed: Bitboard, kind: Count
) -> Count:
    """Write pushes and captures of ``pawns`` to ``allowed`` squares, without en passant."""
    empty = ~occupancy(pos)
    enemy = pos.by_colour[pos.side ^ 1] & allowed
    if pos.side == WHITE:
        up, west, east = 8, 7, 9
        single = pawns << EIGHT & empty
        double = (single & RANK_3) << EIGHT & empty & allowed
        to_west = (pawns & NOT_FILE_A) << SEVEN & enemy
        to_east = (pawns & NOT_FILE_H) << NINE & enemy
    else:
        up, west, east = -8, -9, -7
        single = pawns >> EIGHT & empty
        double = (single & RANK_6) >> EIGHT & empty & allowed
        to_west = (pawns & NOT_FILE_A) >> NINE & enemy
        to_east = (pawns & NOT_FILE_H) >> SEVEN & enemy
    single &= allowed
    if kind & NOISY_MOVES:
        if (single | to_west | to_east) & BACK_RANKS != NOTHING:
            end = _write_promotions(pos, end, to_west & BACK_RANKS, west, CAPTURE)
            end = _write_promotions(pos, end, to_east & BACK_RANKS, east, CAPTURE)
            end = _write_promotions(pos, end, single & BACK_RANKS, up, QUIET)
        end = _write_pawns(pos, end, to_west & ~BACK_RANKS, west, CAPTURE)
        end = _write_pawns(pos, end, to_east & ~BACK_RANKS, east, CAPTURE)
    if kind & QUIET_MOVES:
        end = _write_pawns(pos, end, single & ~BACK_RANKS, up, QUIET)
        end = _write_pawns(pos, end, double, 2 * up, DOUBLE_PUSH)
    return end


@kernel
def _en_passant_moves(pos: Position, end: Count) -> Count:
    capturers = pawn_attacks(pos.side ^ 1, pos.en_passant) & pieces(pos, pos.side, PAWN)
    while capturers != NOTHING:
        origin = lsb(capturers)
        if en_passant_legal(pos, origin, pos.en_passant):
            pos.moves[end] = encode(origin, pos.en_passant, EN_PASSANT)
            end += 1
        capturers &= capturers - ONE
    return end


@kernel
def castling_legal(pos: Position, index: Count) -> Flag:
    """Return whether castling ``index`` is legal, given the right to it and no check.

    Both paths must be empty, the king may cross no attacked square, and no slider may attack it
    once the rook has left (Chess960).
    """
    us, them = pos.side, pos.side ^ 1
    king, rook = king_square(pos, us), np.int64(pos.castling_rook[index])
    king_target, rook_target = king_castles_to(king, rook), rook_castles_to(king, rook)
    others = occupancy(pos) ^ bit(king) ^ bit(rook)
    king_path, rook_path = between(king, king_target), between(rook, rook_target)
    targets = bit(king_target) | bit(rook_target)
    if (king_path | rook_path | targets) & others != NOTHING:
        return False
    if attackers(pos, king_target, them, others | bit(rook_target)) != NOTHING:
        return False
    while king_path != NOTHING:
        if attackers(pos, lsb(king_path), them, others | bit(rook)) != NOTHING:
            return False
        king_path &= king_path - ONE
    return True


@kernel
def generate(pos: Position, start: Count, kind: Count) -> Count:
    """Write the legal moves of ``kind`` to ``pos.moves[start:]`` and return the end.

    In check these are the evasions: a single checker must be captured or blocked, after a double
    check only the king moves.
    """
    us = pos.side
    own, enemy = pos.by_colour[us], pos.by_colour[us ^ 1]
    occupied = own | enemy
    king = king_square(pos, us)
    wanted = NOTHING
    if kind & NOISY_MOVES:
        wanted |= enemy
    if kind & QUIET_MOVES:
        wanted |= ~occupied
    end = start

    targets = king_attacks(king) & wanted
    while targets != NOTHING:
        target = lsb(targets)
        if attackers(pos, target, us ^ 1, occupied ^ bit(king)) == NOTHING:
            flag = CAPTURE if enemy & bit(target) != NOTHING else QUIET
            pos.moves[end] = encode(king, target, flag)
            end += 1
        targets &= targets - ONE

    allowed = EVERYTHING
    if pos.checkers != NOTHING:
        if more_than_one(pos.checkers):
            return end
        allowed = pos.checkers | between(king, lsb(pos.checkers))
    elif kind & QUIET_MOVES:
        for index in range(2 * us, 2 * us + 2):
            if pos.castling >> index & 1 and castling_legal(pos, index):
                pos.moves[end] = encode(king, np.int64(pos.castling_rook[index]), CASTLE)
                end += 1
    wanted &= allowed
    pinned = pinned_pieces(pos, us)
    free = ~pinned

    pawns = own & pos.by_type[PAWN]
    end = _pawn_moves(pos, end, pawns & free, allowed, kind)
    pawns &= pinned
    while pawns != NOTHING:
        square = lsb(pawns)
        end = _pawn_moves(pos, end, bit(square), allowed & line(king, square), kind)
        pawns &= pawns - ONE
    if kind & NOISY_MOVES and pos.en_passant != NO_SQUARE:
        end = _en_passant_moves(pos, end)

    movers = own & pos.by_type[KNIGHT] & free
    while movers != NOTHING:
        square = lsb(movers)
        end = _write(pos, end, square, knight_attacks(square) & wanted, enemy)
        movers &= movers - ONE
    movers = own & (pos.by_type[BISHOP] | pos.by_type[QUEEN])
    while movers != NOTHING:
        square = lsb(movers)
        targets = bishop_attacks(square, occupied) & wanted
        if pinned & bit(square) != NOTHING:
            targets &= line(king, square)
        end = _write(pos, end, square, targets, enemy)
        movers &= movers - ONE
    movers = own & (pos.by_type[ROOK] | pos.by_type[QUEEN])
    while movers != NOTHING:
        square = lsb(movers)
        targets = rook_attacks(square, occupied) & wanted
        if pinned & bit(square) != NOTHING:
            targets &= line(king, square)
        end = _write(pos, end, square, targets, enemy)
        movers &= movers - ONE
    return end


@kernel
def is_stalemate(pos: Position, start: Count) -> Flag:
    """Return whether the side to move, which is not in check, has no legal move.

    Nearly always some piece that is not in line with the king can move. Only otherwise are the
    moves generated, from ``start``.
    """
    own, occupied = pos.by_colour[pos.side], occupancy(pos)
    king = king_square(pos, pos.side)
    movers = own & ~(bishop_attacks(king, occupied) | rook_attacks(king, occupied) | bit(king))
    pawns = movers & pos.by_type[PAWN]
    if (pawns << EIGHT if pos.side == WHITE else pawns >> EIGHT) & ~occupied != NOTHING:
        return False
    movers ^= pawns
    while movers != NOTHING:
        square = lsb(movers)
        piece_type = np.int64(pos.board[square]) % 6
        attacks = NOTHING
        if piece_type == KNIGHT:
            attacks = knight_attacks(square)
        if piece_type == BISHOP or piece_type == QUEEN:
            attacks = bishop_attacks(square, occupied)
        if piece_type == ROOK or piece_type == QUEEN:
            attacks |= rook_attacks(square, occupied)
        if attacks & ~own != NOTHING:
            return False
        movers &= movers - ONE
    return generate(pos, start, np.int64(ALL_MOVES)) == start


@entry(POSITION)
def _generate_all(pos: Position) -> Count:
    return generate(pos, np.int64(0), np.int64(ALL_MOVES))


def legal_moves(pos: Position) -> list[int]:
    """Return all legal moves, as 16-bit integers."""
    return [int(move) for move in pos.moves[: _generate_all(pos)]]
