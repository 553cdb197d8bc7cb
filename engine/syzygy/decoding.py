"""Decodes one value of a part of a table.

Values are in blocks of about equal size, in canonical Huffman codes of symbols, each of which is a
value or a pair of symbols. A sparse index points to the block that is half-way between two of its
entries. All that a damaged file could make wrong is checked: then the value is `UNKNOWN`.
"""

import numpy as np

from engine.board.annotations import Count
from engine.board.bitboard import NOTHING, U64
from engine.jit.intrinsics import load, load_big_endian
from engine.jit.kernel import kernel
from engine.syzygy.pages import fetch
from engine.syzygy.table_records import MAX_CODE, Cache, Directory, Side, WdlTable

UNKNOWN = np.int64(9)
"""In place of a value that the tables do not tell."""

_WORD16, _WORD32, _SHIFT16, _SHIFT32 = U64(0xFFFF), U64(0xFFFFFFFF), U64(16), U64(32)
_WORD_BITS, _SEVEN = 64, np.int64(7)


@kernel
def _symbol(directory: Directory, side: Side, symbol: Count) -> np.uint64:
    return load(directory.symbols + 8 * (side.first_symbol + symbol))


@kernel
def _length(word: np.uint64) -> Count:
    """Return the number of values of a symbol, less one."""
    return np.int64(word >> _SHIFT32)


@kernel
def value_at(
    directory: Directory,
    cache: Cache,
    cache_address: Count,
    table: WdlTable,
    side: Side,
    number: Count,
) -> Count:
    """Return the value, from 0 to 4, of the position ``number``, or `UNKNOWN`."""
    if side.index_bits == 0:
        return side.constant
    if number < 0 or number >= side.positions:
        return UNKNOWN
    # The index gives a block, and where in it the position half-way to the next entry is.
    entry = fetch(
        directory, cache, cache_address, table, side.index_at + 6 * (number >> side.index_bits)
    )
    if entry == 0:
        return UNKNOWN
    word = load(entry)
    block = np.int64(word & _WORD32)
    half = np.int64(1) << (side.index_bits - 1)
    rest = (number & (2 * half - 1)) - half + np.int64((word >> _SHIFT32) & _WORD16)
    # The sizes of the blocks, less one, lead from there to the block of the position.
    back = rest < 0
    while True:
        if back:
            block -= 1
        if block < 0 or block >= side.sizes:
            return UNKNOWN
        entry = fetch(directory, cache, cache_address, table, side.sizes_at + 2 * block)
        if entry == 0:
            return UNKNOWN
        last = np.int64(load(entry) & _WORD16)
        if back:
            rest += last + 1
            if rest >= 0:
                break
        else:
            if rest <= last:
                break
            rest -= last + 1
            block += 1
    if block >= side.blocks:
        return UNKNOWN
    # The symbols of the block, up to the one that has the position.
    bit = (side.data_at + (block << side.block_bits)) << 3
    end = (side.data_at + ((block + 1) << side.block_bits)) << 3
    loaded, bits = bit - _WORD_BITS, NOTHING
    while True:
        if bit >= end:
            return UNKNOWN
        if bit - loaded > _WORD_BITS - MAX_CODE:
            loaded = bit & ~_SEVEN
            entry = fetch(directory, cache, cache_address, table, bit >> 3)
            if entry == 0:
                return UNKNOWN
            bits = load_big_endian(entry)
        code = bits << U64(bit - loaded)
        length = side.shortest
        while length < side.longest and code < side.bases[length]:
            length += 1
        if code < side.bases[length]:
            return UNKNOWN
        symbol = side.firsts[length] + np.int64(
            (code - side.bases[length]) >> U64(_WORD_BITS - length)
        )
        if symbol >= side.symbols:
            return UNKNOWN
        word = _symbol(directory, side, symbol)
        if rest <= _length(word):
            break
        rest -= _length(word) + 1
        bit += length
    while _length(word) > 0:
        first = _symbol(directory, side, np.int64(word & _WORD16))
        if rest <= _length(first):
            word = first
        else:
            rest -= _length(first) + 1
            word = _symbol(directory, side, np.int64((word >> _SHIFT16) & _WORD16))
    return np.int64(word & _WORD16)
