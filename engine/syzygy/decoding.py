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
from engine.syzygy.pages import WORD, fetch
from engine.syzygy.table_records import MAX_CODE, RUN, SHORT_CODE, Cache, Directory, Side, WdlTable

UNKNOWN = np.int64(9)
"""Stands for a value that the tables do not contain."""

_BYTE, _WORD16, _WORD32 = U64(0xFF), U64(0xFFFF), U64(0xFFFFFFFF)
_SHIFT16, _SHIFT24, _SHIFT32, _SHIFT48 = U64(16), U64(24), U64(32), U64(48)
_WORD_BITS, _SEVEN = 64, np.int64(7)
_SHORT_SHIFT = U64(_WORD_BITS - SHORT_CODE)


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
    half = np.int64(1) << (side.index_bits - 1)
    rest: Count = (number & (2 * half - 1)) - half + np.int64((word >> _SHIFT32) & _WORD16)
    block, rest = _find_block(
        directory, cache, cache_address, table, side, np.int64(word & _WORD32), rest
    )
    if block < 0 or block >= side.blocks:
        return UNKNOWN
    symbol, rest = _find_symbol(directory, cache, cache_address, table, side, block, rest)
    if symbol < 0:
        return UNKNOWN
    word = _symbol(directory, side, symbol)
    while _length(word) > 0:
        first = np.int64(word >> _SHIFT48)
        if rest <= first:
            word = _symbol(directory, side, np.int64(word & _WORD16))
        else:
            rest -= first + 1
            word = _symbol(directory, side, np.int64((word >> _SHIFT16) & _WORD16))
    return np.int64(word & _WORD16)


@kernel
def _symbol(directory: Directory, side: Side, symbol: Count) -> np.uint64:
    return load(directory.words + 8 * (side.first_symbol + symbol))


@kernel
def _length(word: np.uint64) -> Count:
    """Return one less than the number of values of a symbol, given its word or that of a code."""
    return np.int64((word >> _SHIFT32) & _WORD16)


@kernel
def _find_block(
    directory: Directory,
    cache: Cache,
    cache_address: Count,
    table: WdlTable,
    side: Side,
    block: Count,
    rest: Count,
) -> tuple[Count, Count]:
    """Return the block of the value that is ``rest`` values after the start of ``block``, or before
    it, and its place there; -1 for the block if that is unknown.

    The sizes of the blocks, less one, are steps from one to the next.
    """
    back = rest < 0
    entry: Count = np.int64(0)
    start: Count = np.int64(0)
    end: Count = np.int64(-1)
    while True:
        if back:
            block -= 1
        if block < 0 or block >= side.sizes:
            return np.int64(-1), rest
        at = side.sizes_at + 2 * block
        if at < start or at > end:
            start = max(np.int64(0), at - (RUN - WORD)) if back else at
            end = start + RUN - WORD
            entry = fetch(directory, cache, cache_address, table, start)
            if entry == 0:
                return np.int64(-1), rest
        last = np.int64(load(entry + at - start) & _WORD16)
        if back:
            rest += last + 1
            if rest >= 0:
                return block, rest
        else:
            if rest <= last:
                return block, rest
            rest -= last + 1
            block += 1


@kernel
def _find_symbol(
    directory: Directory,
    cache: Cache,
    cache_address: Count,
    table: WdlTable,
    side: Side,
    block: Count,
    rest: Count,
) -> tuple[Count, Count]:
    """Return the symbol with the value ``rest`` of a block, and the value's place in the symbol; -1
    for the symbol if that is unknown."""
    codes = directory.words + 8 * side.short_codes
    start = side.data_at + (block << side.block_bits)
    bit: Count = np.int64(0)
    limit: Count = np.int64(0)
    entry: Count = np.int64(0)
    left: Count = np.int64(0)
    bits, end = NOTHING, np.int64(8) << side.block_bits
    while bit < end:
        if left < MAX_CODE:
            if bit >= limit:
                entry = fetch(directory, cache, cache_address, table, start + (bit >> 3))
                if entry == 0:
                    break
                entry -= bit >> 3
                limit = (bit & ~_SEVEN) + 8 * (RUN - WORD)
            bits = load_big_endian(entry + (bit >> 3)) << U64(bit & _SEVEN)
            left = _WORD_BITS - (bit & _SEVEN)
        word = load(codes + 8 * np.int64(bits >> _SHORT_SHIFT))
        length: Count = np.int64((word >> _SHIFT24) & _BYTE)
        total = np.int64(word >> _SHIFT48)
        if rest >= total and length > 0:
            rest -= total
            bit += length
            left -= length
            bits <<= U64(length)
            continue
        length = np.int64((word >> _SHIFT16) & _BYTE)
        symbol = np.int64(word & _WORD16)
        if length == 0:
            length = side.shortest
            while length < side.longest and bits < side.bases[length]:
                length += 1
            if bits < side.bases[length]:
                break
            symbol = side.firsts[length] + np.int64(
                (bits - side.bases[length]) >> U64(_WORD_BITS - length)
            )
            if symbol >= side.symbols:
                break
            word = _symbol(directory, side, symbol)
        if rest <= _length(word):
            return symbol, rest
        rest -= _length(word) + 1
        bit += length
        left -= length
        bits <<= U64(length)
    return np.int64(-1), rest
