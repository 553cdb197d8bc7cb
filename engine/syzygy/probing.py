"""Probes the tables of results: is a position won, drawn or lost?

Where a capture is best, a table stores any value that is not higher, whichever compresses best.
Tables also ignore en passant. So a probe tries the captures too, each by a probe of a smaller table
(Ronald de Man).
"""

import numpy as np

from engine.board.annotations import Count, Key, Position
from engine.board.bitboard import NOTHING, ONE, U64
from engine.board.makemove import make, unmake
from engine.board.move import flag_of, is_capture
from engine.board.movegen import generate
from engine.board.position import attacked
from engine.board.types import ALL_MOVES, EN_PASSANT, NO_SQUARE, NOISY_MOVES, PAWN
from engine.jit.intrinsics import lsb, popcount, record_reader
from engine.jit.kernel import kernel
from engine.syzygy.decoding import UNKNOWN, value_at
from engine.syzygy.numbering import leading_file, position_number
from engine.syzygy.table_records import CACHE, DIRECTORY, MIX, SLOT_SHIFT, SLOTS, TABLE, Directory

LOSS, BLESSED_LOSS, DRAWN, CURSED_WIN, WIN = (np.int64(value) for value in range(-2, 3))
"""The values: the fifty-move rule makes a draw of a blessed loss and of a cursed win."""

_MIX, _SLOT_SHIFT = U64(MIX), U64(SLOT_SHIFT)

directory_at, table_at, cache_at = map(record_reader, (DIRECTORY, TABLE, CACHE))
_TABLE_BYTES = TABLE.itemsize


@kernel
def material(pos: Position) -> Key:
    """Return the key of the material, as `engine.syzygy.wdl_file.material_key`."""
    key = NOTHING
    for piece_type in range(5):
        kind = pos.by_type[piece_type]
        if kind != NOTHING:
            key |= U64(popcount(kind & pos.by_colour[0])) << U64(4 * piece_type)
            key |= U64(popcount(kind & pos.by_colour[1])) << U64(4 * piece_type + 20)
    return key


@kernel
def _find(directory: Directory, key: Key) -> Count:
    """Return twice the number of the table of a material, plus 1 with swapped colours; or -1."""
    slot = np.int64(key * _MIX >> _SLOT_SHIFT)
    while directory.keys[slot] != NOTHING:
        if directory.keys[slot] == key:
            return np.int64(directory.numbers[slot])
        slot = (slot + 1) & (SLOTS - 1)
    return np.int64(-1)


@kernel
def _stored(pos: Position, tables: Count, cache_address: Count) -> Count:
    """Return the value of a position in its table, which may be too low if a capture is best."""
    key = material(pos)
    if key == NOTHING:
        return DRAWN
    directory = directory_at(tables)
    found = _find(directory, key)
    if found < 0:
        return UNKNOWN
    table = table_at(directory.tables + (found >> 1) * _TABLE_BYTES)
    swapped = pos.side if table.symmetric != 0 else found & 1
    part = pos.side ^ swapped
    cache = cache_at(cache_address)
    squares = cache.squares
    flip: Count = np.int64(0)
    placed = np.int64(0)
    if table.leading > 0:
        flip = 56 * swapped
        colour = table.sides[0].pieces[0] // 6 ^ swapped
        pawns = pos.by_type[PAWN] & pos.by_colour[colour]
        while pawns != NOTHING:
            squares[placed] = lsb(pawns) ^ flip
            placed += 1
            pawns &= pawns - ONE
        part += 2 * leading_file(table, squares)
    side = table.sides[part]
    while placed < table.pieces:
        piece = side.pieces[placed]
        these = pos.by_type[piece % 6] & pos.by_colour[piece // 6 ^ swapped]
        while these != NOTHING:
            squares[placed] = lsb(these) ^ flip
            placed += 1
            these &= these - ONE
    number = position_number(table, side, cache)
    value = value_at(directory, cache, cache_address, table, side, number)
    return value if value == UNKNOWN else value - 2


@kernel
def _probe(
    pos: Position,
    tables: Count,
    cache: Count,
    start: Count,
    alpha: Count,
    beta: Count,
) -> Count:
    """Return the value of a position, between ``alpha`` and ``beta``."""
    others, end = pos.en_passant == NO_SQUARE, start
    if not others or attacked(pos, pos.side) & pos.by_colour[pos.side ^ 1] != NOTHING:
        # With en passant all moves are needed: if there is no other the table takes the position
        # for mate or stalemate.
        end = generate(pos, start, np.int64(NOISY_MOVES if others else ALL_MOVES))
    for index in range(start, end):
        move = np.int64(pos.moves[index])
        if flag_of(move) != EN_PASSANT:
            others = True
        if not is_capture(move):
            continue
        make(pos, move)
        value = _probe(pos, tables, cache, end, -beta, -alpha)
        unmake(pos)
        if value == UNKNOWN:
            return UNKNOWN
        if -value > alpha:
            alpha = -value
            if alpha >= beta:
                return alpha
    if not others:
        return alpha
    value = _stored(pos, tables, cache)
    return value if value == UNKNOWN else max(alpha, value)


@kernel
def probe_wdl(pos: Position, tables: Count, cache: Count, start: Count) -> Count:
    """Return the value of a position without castling rights for the side to move, or `UNKNOWN`.

    It holds for a halfmove clock of 0. ``tables`` and ``cache`` are the addresses of a `DIRECTORY`
    and of the thread's `CACHE`. Moves are generated from ``start``; the history needs room for a
    capture of each piece.
    """
    return _probe(pos, tables, cache, start, LOSS, WIN)
