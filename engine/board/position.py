"""The position: one numpy record with the board, its key and its history.

A record is made by `new_position`, filled by `set_position`, and changed by
`engine.board.makemove` alone.
"""

from collections.abc import Sequence

import numpy as np

from engine.board.annotations import Bitboard, Colour, Flag, Piece, Ply, Position, Square
from engine.board.attacks import (
    between,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
)
from engine.board.bitboard import (
    LIGHT_SQUARES,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    NOTHING,
    ONE,
    SEVEN,
    bit,
    more_than_one,
)
from engine.board.types import (
    BISHOP,
    BLACK,
    EMPTY,
    KING,
    KNIGHT,
    MAX_HISTORY,
    MAX_MOVES,
    MAX_PLY,
    PAWN,
    QUEEN,
    ROOK,
)
from engine.board.zobrist import SIDE_KEY, castling_key, en_passant_key, piece_key
from engine.jit.intrinsics import lsb, popcount
from engine.jit.kernel import entry, kernel
from engine.memory.records import new_record

STATE = np.dtype(
    [
        ("key", np.uint64),
        ("checkers", np.uint64),
        ("halfmove", np.int32),
        ("reversible_plies", np.int32),
        ("move", np.uint16),
        ("captured", np.int8),
        ("castling", np.int8),
        ("en_passant", np.int8),
    ],
    align=True,
)
"""The data that unmaking a move needs: the state before it, the move and the captured piece."""

POSITION = np.dtype(
    [
        ("by_type", np.uint64, 6),
        ("by_colour", np.uint64, 2),
        ("key", np.uint64),
        ("checkers", np.uint64),
        ("side", np.int64),
        ("castling", np.int64),
        ("en_passant", np.int64),
        ("halfmove", np.int64),
        ("reversible_plies", np.int64),
        ("game_ply", np.int64),
        ("board", np.int8, 64),
        ("castling_mask", np.int8, 64),
        ("castling_rook", np.int8, 4),
        ("history", STATE, (MAX_HISTORY,)),
        ("moves", np.uint16, MAX_MOVES * (MAX_PLY + 2)),
    ],
    align=True,
)
"""Board, state and history of a position, and the stack of generated move lists.

``en_passant`` is set only when the capture is legal. ``reversible_plies`` counts the plies
since the last irreversible or null move, ``halfmove`` those of the fifty-move rule.
``castling_mask[square]`` has the rights that remain after a move from or to ``square``; the next
move saves the state in ``history[game_ply]``.
"""


def new_position() -> Position:
    """Return an empty position record, to be filled by `set_position`."""
    return new_record(POSITION)


def set_position(
    pos: Position,
    pieces: Sequence[int],
    side: int,
    castling_rooks: Sequence[int],
    en_passant: int,
    halfmove: int,
) -> None:
    """Fill ``pos`` with a legal position without a history.

    ``pieces`` are 64 piece codes from a1 to h8; ``castling_rooks`` the squares of the
    rooks that may castle (white king side, white queen side, then black), −1 for none;
    ``en_passant`` the square of a legal en-passant capture, −1 for none; ``halfmove``
    the plies since the last capture or pawn move.
    """
    pos.board[:] = pieces
    pos.castling_mask[:] = 15
    pos.castling = 0
    for index, rook in enumerate(castling_rooks):
        pos.castling_rook[index] = max(rook, 0)
        if rook >= 0:
            king = list(pieces).index(KING + 6 * (index // 2))
            pos.castling |= 1 << index
            pos.castling_mask[rook] &= ~(1 << index)
            pos.castling_mask[king] &= ~(1 << index)
    pos.side, pos.en_passant = side, max(en_passant, 0)
    pos.halfmove = pos.reversible_plies = halfmove
    pos.game_ply = 0
    refresh(pos)


@entry(POSITION)
def refresh(pos: Position) -> None:
    """Compute bitboards, key and checkers from the board and the state."""
    for piece_type in range(6):
        pos.by_type[piece_type] = NOTHING
    pos.by_colour[0] = NOTHING
    pos.by_colour[1] = NOTHING
    key = castling_key(pos.castling) ^ en_passant_key(pos.en_passant)
    if pos.side == BLACK:
        key ^= SIDE_KEY
    for square in range(64):
        piece = np.int64(pos.board[square])
        if piece != EMPTY:
            pos.by_type[piece % 6] |= bit(square)
            pos.by_colour[piece // 6] |= bit(square)
            key ^= piece_key(piece, square)
    pos.key = key
    pos.checkers = attackers(pos, king_square(pos, pos.side), pos.side ^ 1, occupancy(pos))


@kernel
def occupancy(pos: Position) -> Bitboard:
    """Return the bitboard of all pieces."""
    return pos.by_colour[0] | pos.by_colour[1]


@kernel
def pieces(pos: Position, colour: Colour, piece_type: Piece) -> Bitboard:
    """Return the bitboard of one kind of piece."""
    return pos.by_type[piece_type] & pos.by_colour[colour]


@kernel
def king_square(pos: Position, colour: Colour) -> np.int64:
    """Return the king's square."""
    return lsb(pieces(pos, colour, KING))


@kernel
def attackers(pos: Position, square: Square, colour: Colour, blockers: Bitboard) -> Bitboard:
    """Return the pieces of ``colour`` that attack ``square``, given all ``blockers``."""
    diagonal = pos.by_type[BISHOP] | pos.by_type[QUEEN]
    straight = pos.by_type[ROOK] | pos.by_type[QUEEN]
    return pos.by_colour[colour] & (
        pawn_attacks(colour ^ 1, square) & pos.by_type[PAWN]
        | knight_attacks(square) & pos.by_type[KNIGHT]
        | king_attacks(square) & pos.by_type[KING]
        | bishop_attacks(square, blockers) & diagonal
        | rook_attacks(square, blockers) & straight
    )


@kernel
def attacked(pos: Position, colour: Colour) -> Bitboard:
    """Return the squares that ``colour`` attacks."""
    mine, blockers = pos.by_colour[colour], occupancy(pos)
    pawns = pos.by_type[PAWN] & mine
    if colour == 0:
        found = (pawns & NOT_FILE_A) << SEVEN | (pawns & NOT_FILE_H) << NINE
    else:
        found = (pawns & NOT_FILE_A) >> NINE | (pawns & NOT_FILE_H) >> SEVEN
    knights = pos.by_type[KNIGHT] & mine
    while knights != NOTHING:
        found |= knight_attacks(lsb(knights))
        knights &= knights - ONE
    diagonal = (pos.by_type[BISHOP] | pos.by_type[QUEEN]) & mine
    while diagonal != NOTHING:
        found |= bishop_attacks(lsb(diagonal), blockers)
        diagonal &= diagonal - ONE
    straight = (pos.by_type[ROOK] | pos.by_type[QUEEN]) & mine
    while straight != NOTHING:
        found |= rook_attacks(lsb(straight), blockers)
        straight &= straight - ONE
    return found | king_attacks(lsb(pos.by_type[KING] & mine))


@kernel
def pinned_pieces(pos: Position, colour: Colour) -> Bitboard:
    """Return the pieces of ``colour`` that are pinned to their own king."""
    king = king_square(pos, colour)
    own, enemy = pos.by_colour[colour], pos.by_colour[colour ^ 1]
    diagonal = (pos.by_type[BISHOP] | pos.by_type[QUEEN]) & enemy
    straight = (pos.by_type[ROOK] | pos.by_type[QUEEN]) & enemy
    snipers = bishop_attacks(king, enemy) & diagonal | rook_attacks(king, enemy) & straight
    found = NOTHING
    while snipers != NOTHING:
        shield = between(king, lsb(snipers)) & own
        if shield != NOTHING and not more_than_one(shield):
            found |= shield
        snipers &= snipers - ONE
    return found


@kernel
def repeated(pos: Position, ply: Ply, inside: Flag) -> Flag:
    """Return whether the position is a draw by repetition, seen from ``ply`` plies below the root.

    Before the root, two earlier occurrences are needed. In the searched line one is enough, but it
    only counts if ``inside`` is true.
    """
    before = 0
    for back in range(4, min(pos.reversible_plies, pos.game_ply) + 1, 2):
        if pos.history[pos.game_ply - back].key == pos.key:
            if back > ply:
                before += 1
            if before == 2 or (inside and back <= ply):
                return True
    return False


@kernel
def insufficient_material(pos: Position) -> Flag:
    """Return whether no sequence of legal moves can mate."""
    if pos.by_type[PAWN] | pos.by_type[ROOK] | pos.by_type[QUEEN] != NOTHING:
        return False
    knights, bishops = pos.by_type[KNIGHT], pos.by_type[BISHOP]
    if knights != NOTHING:
        return bishops == NOTHING and popcount(knights) == 1
    return bishops & LIGHT_SQUARES == NOTHING or bishops & ~LIGHT_SQUARES == NOTHING
