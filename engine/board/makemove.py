"""Making and unmaking moves on a position record, key and checkers kept incrementally."""

import numpy as np

from engine.board.annotations import Flag, Key, Move, Piece, Position, Square
from engine.board.attacks import pawn_attacks
from engine.board.bitboard import NOTHING, ONE, bit
from engine.board.move import flag_of, origin_of, promoted_type, target_of
from engine.board.position import POSITION, attackers, king_square, occupancy, pieces
from engine.board.types import (
    CAPTURE,
    CASTLE,
    DOUBLE_PUSH,
    EMPTY,
    EN_PASSANT,
    KING,
    NO_MOVE,
    NO_SQUARE,
    PAWN,
    PROMOTION,
    ROOK,
)
from engine.board.zobrist import SIDE_KEY, castling_key, en_passant_key, piece_key
from engine.jit.intrinsics import lsb
from engine.jit.kernel import entry, kernel


@kernel
def king_castles_to(king: Square, rook: Square) -> Square:
    """Return the king's target when it castles with ``rook``: on the c- or g-file."""
    return (king & 56) + (6 if rook > king else 2)


@kernel
def rook_castles_to(king: Square, rook: Square) -> Square:
    """Return the target of the castling ``rook``: on the d- or f-file."""
    return (king & 56) + (5 if rook > king else 3)


@kernel
def en_passant_legal(pos: Position, origin: Square, target: Square) -> Flag:
    """Return whether the pawn of the side to move on ``origin`` may capture en passant.

    Both pawns leave the rank at once, so attacks on the king are computed for the board after it.
    """
    them = pos.side ^ 1
    victim = bit(target ^ 8)
    blockers = occupancy(pos) ^ bit(origin) ^ victim | bit(target)
    threats = attackers(pos, king_square(pos, pos.side), them, blockers)
    return threats & ~victim == NOTHING


@kernel
def en_passant_square(pos: Position, target: Square) -> Square:
    """Return ``target`` when the side to move can legally capture en passant there."""
    capturers = pawn_attacks(pos.side ^ 1, target) & pieces(pos, pos.side, PAWN)
    while capturers != NOTHING:
        if en_passant_legal(pos, lsb(capturers), target):
            return target
        capturers &= capturers - ONE
    return NO_SQUARE


@kernel
def _put(pos: Position, piece: Piece, square: Square) -> None:
    pos.board[square] = piece
    pos.by_type[piece % 6] |= bit(square)
    pos.by_colour[piece // 6] |= bit(square)


@kernel
def _take(pos: Position, piece: Piece, square: Square) -> None:
    pos.board[square] = EMPTY
    pos.by_type[piece % 6] &= ~bit(square)
    pos.by_colour[piece // 6] &= ~bit(square)


@kernel
def _save(pos: Position, move: Move, captured: Piece) -> None:
    state = pos.history[pos.game_ply]
    state.key = pos.key
    state.checkers = pos.checkers
    state.halfmove = pos.halfmove
    state.reversible_plies = pos.reversible_plies
    state.move = move
    state.captured = captured
    state.castling = pos.castling
    state.en_passant = pos.en_passant
    pos.game_ply += 1


@kernel
def _restore(pos: Position) -> None:
    pos.game_ply -= 1
    state = pos.history[pos.game_ply]
    pos.key = state.key
    pos.checkers = state.checkers
    pos.halfmove = state.halfmove
    pos.reversible_plies = state.reversible_plies
    pos.castling = state.castling
    pos.en_passant = state.en_passant


@kernel
def prefetch_key(pos: Position, move: Move) -> Key:
    """Return the key after ``move``, ignoring castling, promotion and en passant: to prefetch."""
    origin, target = origin_of(move), target_of(move)
    piece, captured = np.int64(pos.board[origin]), np.int64(pos.board[target])
    key = pos.key ^ SIDE_KEY ^ en_passant_key(pos.en_passant)
    key ^= piece_key(piece, origin) ^ piece_key(piece, target)
    return key ^ piece_key(captured, target) if captured != EMPTY else key


@entry(POSITION, np.int64)
def make(pos: Position, move: Move) -> None:
    """Make a legal ``move``; the history must have room for one more state."""
    us, origin, target, flag = pos.side, origin_of(move), target_of(move), flag_of(move)
    them = us ^ 1
    piece = np.int64(pos.board[origin])
    captured: Piece = EMPTY
    if flag & CAPTURE:
        captured = 6 * them if flag == EN_PASSANT else np.int64(pos.board[target])
    _save(pos, move, captured)
    key = pos.key ^ SIDE_KEY ^ en_passant_key(pos.en_passant)
    pos.en_passant = NO_SQUARE
    pos.halfmove += 1
    pos.reversible_plies += 1

    if captured != EMPTY:
        victim = target ^ 8 if flag == EN_PASSANT else target
        _take(pos, captured, victim)
        key ^= piece_key(captured, victim)
        pos.halfmove = 0
        pos.reversible_plies = 0
    _take(pos, piece, origin)
    key ^= piece_key(piece, origin)
    if flag == CASTLE:
        rook = ROOK + 6 * us
        _take(pos, rook, target)
        rook_target = rook_castles_to(origin, target)
        key ^= piece_key(rook, target) ^ piece_key(rook, rook_target)
        _put(pos, rook, rook_target)
        target = king_castles_to(origin, target)
    placed: Piece = piece
    if piece % 6 == PAWN:
        pos.halfmove = 0
        pos.reversible_plies = 0
        if flag & PROMOTION:
            placed = promoted_type(move) + 6 * us
    _put(pos, placed, target)
    key ^= piece_key(placed, target)

    rights = pos.castling & pos.castling_mask[origin] & pos.castling_mask[target_of(move)]
    if rights != pos.castling:
        key ^= castling_key(pos.castling) ^ castling_key(rights)
        pos.castling = rights
        pos.reversible_plies = 0
    pos.side = them
    if flag == DOUBLE_PUSH:
        pos.en_passant = en_passant_square(pos, target ^ 8)
        key ^= en_passant_key(pos.en_passant)
    pos.key = key
    pos.checkers = attackers(pos, king_square(pos, them), us, occupancy(pos))


@entry(POSITION)
def unmake(pos: Position) -> None:
    """Unmake the last move."""
    _restore(pos)
    state = pos.history[pos.game_ply]
    move, captured = np.int64(state.move), np.int64(state.captured)
    pos.side ^= 1
    us, origin, target, flag = pos.side, origin_of(move), target_of(move), flag_of(move)
    if flag == CASTLE:
        king, rook = KING + 6 * us, ROOK + 6 * us
        _take(pos, king, king_castles_to(origin, target))
        _take(pos, rook, rook_castles_to(origin, target))
        _put(pos, king, origin)
        _put(pos, rook, target)
        return
    piece = np.int64(pos.board[target])
    _take(pos, piece, target)
    _put(pos, 6 * us if flag & PROMOTION else piece, origin)
    if captured != EMPTY:
        _put(pos, captured, target ^ 8 if flag == EN_PASSANT else target)


@kernel
def make_null(pos: Position) -> None:
    """Make a null move; the side to move must not be in check."""
    _save(pos, np.int64(NO_MOVE), EMPTY)
    pos.key ^= SIDE_KEY ^ en_passant_key(pos.en_passant)
    pos.en_passant = NO_SQUARE
    pos.halfmove += 1
    pos.reversible_plies = 0
    pos.side ^= 1


@kernel
def unmake_null(pos: Position) -> None:
    """Unmake a null move."""
    _restore(pos)
    pos.side ^= 1
