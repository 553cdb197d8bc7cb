"""The header of a Syzygy table of results (WDL), read and checked.

After four bytes of magic and one of flags come, for each file of the leading pawn (without pawns
only once) and both sides to move, the order of the pieces; then the tables of the compression: a
canonical Huffman code of symbols, each a pair of symbols or a value (N. Jesper Larsson and Alistair
Moffat's Re-Pair, 1999). Then the indices of all parts, the sizes of their blocks, and the blocks. A
checksum of sixteen bytes ends the file. The format is Ronald de Man's (2013).

Every number that a kernel will rely on is checked here, so that a damaged file is an error.
"""

import struct
from collections import Counter
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.memory.records import Record
from engine.syzygy.geometry import PAWN_TOTALS, THREE_PIECES, TWO_KINGS
from engine.syzygy.table_records import MAX_CODE, SHORT_CODE, TABLE

MAGIC = bytes.fromhex("71e8235d")
LETTERS = "PNBRQK"
"""The pieces, by type."""

CHECKSUM_BYTES = 16
_SPLIT, _HAS_PAWNS, _CONSTANT = 1, 2, 0x80
MAX_VALUE = 4
_VALUE = 0xFFF
"""Stands in place of a pair's second symbol if the first one is a value."""

_MAX_LENGTH = 256
"""The most values that one symbol stands for."""


class DamagedTable(ValueError):
    """The file is not the table that its name promises."""


def material_key(pieces: "Counter[int]", swapped: bool = False) -> int:
    """Return the key of a material: four bits for the number of each kind of piece but the kings,
    by colour and type. ``swapped`` exchanges the colours."""
    return sum(
        count << 4 * (piece % 6 + 5 * (piece // 6 ^ swapped))
        for piece, count in pieces.items()
        if piece % 6 != LETTERS.index("K")
    )


def pieces_of(name: str) -> "Counter[int]":
    """Return how many pieces of each code a table called ``name`` has, as in "KQvKR"."""
    white, black = name.split("v")
    return Counter(
        [LETTERS.index(letter) for letter in white]
        + [6 + LETTERS.index(letter) for letter in black]
    )


class _Header:
    """The beginning of a file, read from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = len(MAGIC)

    def take(self, pattern: str) -> tuple[int, ...]:
        """Return the next numbers, unpacked by the `struct` format ``pattern``."""
        try:
            found = struct.unpack_from("<" + pattern, self.data, self.at)
        except struct.error:
            raise DamagedTable("the header is too short") from None
        self.at += struct.calcsize("<" + pattern)
        return found

    def align(self) -> None:
        """Advance to the next even offset; a byte that is skipped must be 0."""
        if self.at % 2:
            _require(self.take("B") == (0,), "the header has another length than its name says")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise DamagedTable(what)


def read_header(name: str, data: bytes, size: int) -> tuple[Record, NDArray[np.uint64]]:
    """Return the record of the table ``name`` and the words of its codes and symbols: see `TABLE`.

    ``data`` is the beginning of the file, of ``size`` bytes. A word has fields of 16 bits, the
    lowest first.

    - For a symbol: its value or the first of its pair; the second of the pair; the number of its
      values less one; that of the first.
    - For the next `SHORT_CODE` bits of a block: the symbol of the first code; the length of that
      code, 0 if it is longer, and of all whole codes, in 8 bits each; the number of the symbol's
      values less one; the number of values of all whole codes.

    Raises `DamagedTable`.
    """
    pieces = pieces_of(name)
    _require(data[: len(MAGIC)] == MAGIC, "no table of results")
    header = _Header(data)
    (flags,) = header.take("B")
    table = np.zeros(1, TABLE).view(np.recarray)[0]
    table.file_size, table.pieces = size, pieces.total()
    key, mirrored = material_key(pieces), material_key(pieces, swapped=True)
    table.symmetric = key == mirrored
    pawns = sorted(filter(None, (pieces[0], pieces[6])))
    table.leading, table.following = (*pawns, 0, 0)[:2]
    _require(bool(flags & _HAS_PAWNS) == bool(pawns), "pawns do not match the name")
    _require(bool(flags & _SPLIT) != table.symmetric, "sides do not match the name")
    table.unlike = 3 if sum(count == 1 for count in pieces.values()) > 2 else 2
    files, colours = (4 if pawns else 1), (1 if table.symmetric else 2)
    for file in range(files):
        _read_pieces(header, table, file, pieces)
    header.align()
    parts = [2 * file + colour for file in range(files) for colour in range(colours)]
    words: list[NDArray[np.uint64]] = []
    for part in parts:
        _read_compression(header, table.sides[part], words)
    _place(header.at, table, parts, size)
    return table, np.concatenate([np.zeros(0, np.uint64), *words])


def _read_pieces(header: _Header, table: Any, file: int, pieces: "Counter[int]") -> None:
    """Read the order of the pieces of both sides to move, which share bytes."""
    orders = list(header.take("B"))
    orders += header.take("B") if table.following else (0xFF,)
    codes = header.take(f"{table.pieces}B")
    for colour in range(2):
        shift = 4 * colour
        side = table.sides[2 * file + colour]
        found = [code >> shift & 15 for code in codes]
        _require(all(1 <= code & 7 <= 6 for code in found), "unknown pieces")
        order = [(code & 7) - 1 + 6 * (code >> 3) for code in found]
        swapped = Counter({(piece + 6) % 12: count for piece, count in pieces.items()})
        _require(Counter(order) in (pieces, swapped), "pieces do not match the name")
        _require(order[0] % 6 == 0 or not table.leading, "no pawn leads")
        side.pieces[: len(order)] = order
        _group(table, side, order)
        _weigh(table, side, file, [each >> shift & 15 for each in orders])


def _group(table: Any, side: Any, order: list[int]) -> None:
    """Set the sizes of the groups: the leading pieces, then equal ones."""
    first = 0
    while first < len(order):
        unlike = first == 0 and not table.leading
        size = int(table.unlike) if unlike else order.count(order[first])
        group = order[first : first + size]
        alike = unlike or len(set(group)) == 1
        _require(len(group) == size and alike, "equal pieces are apart")
        side.groups[first] = size
        first += size
    if table.leading:
        wanted = [table.leading, *([table.following] if table.following else [])]
        sizes = [int(size) for size in side.groups if size]
        _require(sizes[: len(wanted)] == wanted, "pawns do not match the name")
        if table.following:
            _require(order[int(table.leading)] % 6 == 0, "no pawns follow")
    else:
        lead = order[: int(table.unlike)]
        _require(len(set(lead)) == len(lead), "leading pieces are alike")
        _require(table.unlike == 3 or {piece % 6 for piece in lead} == {5}, "no kings lead")


def _weigh(table: Any, side: Any, file: int, orders: list[int]) -> None:
    """Set the weight of each group's number, by the order of the groups in the index."""
    starts = [first for first in range(int(table.pieces)) if side.groups[first]]
    special = 2 if table.following else 1
    rest = starts[special:]
    _require(orders[0] < len(starts), "unknown order of the pieces")
    if special == 2:
        _require(orders[1] < len(starts) and orders[0] != orders[1], "unknown order of the pieces")
    free = 64 - sum(int(side.groups[first]) for first in starts[:special])
    weight = 1
    for place in range(len(starts)):
        if place == orders[0]:
            first = 0
            if table.leading:
                ways = PAWN_TOTALS[int(table.leading) - 1][file]
            else:
                ways = THREE_PIECES if table.unlike == 3 else TWO_KINGS
        elif special == 2 and place == orders[1]:
            first = starts[1]
            ways = comb(48 - int(table.leading), int(table.following))
        else:
            first = rest.pop(0)
            ways = comb(free, int(side.groups[first]))
            free -= int(side.groups[first])
        side.factors[first] = weight
        weight *= ways
    side.positions = weight


def _read_compression(header: _Header, side: Any, words: list[NDArray[np.uint64]]) -> None:
    """Read the compression tables of one part."""
    (flags,) = header.take("B")
    if flags & _CONSTANT:
        (side.constant,) = header.take("B")
        _require(side.constant <= MAX_VALUE, "unknown value")
        return
    block_bits, index_bits, spare, blocks, longest, shortest = header.take("BBBIBB")
    _require(1 <= shortest <= longest <= MAX_CODE, "unknown code lengths")
    _require(4 <= block_bits <= 20 and 1 <= index_bits <= 31, "unknown sizes of blocks")
    _require(blocks > 0, "no blocks")
    side.block_bits, side.index_bits, side.blocks = block_bits, index_bits, blocks
    side.sizes, side.shortest, side.longest = blocks + spare, shortest, longest
    lengths = longest - shortest + 1
    firsts = header.take(f"{lengths}H")
    (count,) = header.take("H")
    base = 0
    for place in range(lengths - 1, -1, -1):
        length = shortest + place
        if place < lengths - 1:
            base = (base + firsts[place] - firsts[place + 1]) // 2
        _require(0 <= base < 1 << length, "a code is too long")
        side.bases[length] = base << 64 - length
        side.firsts[length] = firsts[place]
    _require(0 < count <= _VALUE + 1, "unknown number of symbols")
    raw = np.frombuffer(bytes(header.take(f"{3 * count}B")), np.uint8)
    symbols = _expand(raw)
    side.symbols, side.short_codes = count, sum(map(len, words))
    side.first_symbol = side.short_codes + (1 << SHORT_CODE)
    words += _short_codes(side, symbols), symbols
    header.align()


def _short_codes(side: Any, symbols: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a word for each number of `SHORT_CODE` bits, the next ones of a block."""
    bits = np.arange(1 << SHORT_CODE)
    symbol, length, count = np.zeros((3, len(bits)), np.int64)
    for each in range(min(int(side.longest), SHORT_CODE), int(side.shortest) - 1, -1):
        rank = (bits >> SHORT_CODE - each) - (int(side.bases[each]) >> 64 - each)
        found = (rank >= 0) & (int(side.firsts[each]) + rank < len(symbols))
        symbol[found], length[found] = int(side.firsts[each]) + rank[found], each
    found = length > 0
    count[found] = (symbols[symbol[found]].view(np.int64) >> 32 & 0xFFFF) + 1
    # All whole codes: one after the other, as long as they fit.
    used, total = length.copy(), count.copy()
    while found.any():
        rest = bits << used & len(bits) - 1
        found = (length[rest] > 0) & (used + length[rest] <= SHORT_CODE)
        total += np.where(found, count[rest], 0)
        used += np.where(found, length[rest], 0)
    words = symbol | length << 16 | used << 24 | np.maximum(count - 1, 0) << 32 | total << 48
    packed: NDArray[np.uint64] = words.view(np.uint64)
    return packed


def _expand(raw: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the symbols of ``raw``, three bytes each, packed as `read_header` returns them."""
    low, middle, high = raw.reshape(-1, 3).astype(np.int64).T
    first, second = low | (middle & 15) << 8, middle >> 4 | high << 4
    is_value = second == _VALUE
    _require(not (is_value & (first > MAX_VALUE)).any(), "unknown value")
    first_of, second_of = np.where(is_value, 0, first), np.where(is_value, 0, second)
    _require(max(first_of.max(), second_of.max()) < len(low), "unknown symbol")
    lengths = is_value.astype(np.int64)
    while not lengths.all():
        ready = (lengths == 0) & (lengths[first_of] > 0) & (lengths[second_of] > 0)
        _require(ready.any(), "a symbol has no end")
        lengths[ready] = (lengths[first_of] + lengths[second_of])[ready]
        _require(lengths.max() <= _MAX_LENGTH, "a symbol is too long")
    firsts = np.where(is_value, 0, lengths[first_of] - 1)
    packed: NDArray[np.int64] = first | second_of << 16 | (lengths - 1) << 32 | firsts << 48
    return packed.view(np.uint64)


def _place(at: int, table: Any, parts: list[int], size: int) -> None:
    """Set the places of all indices, sizes and blocks, and compare their end with that of the
    file."""
    packed = [table.sides[part] for part in parts if table.sides[part].index_bits]
    for side in packed:
        side.index_at = at
        at += 6 * (-(-int(side.positions) >> int(side.index_bits)))
    for side in packed:
        side.sizes_at = at
        at += 2 * int(side.sizes)
    for side in packed:
        at += -at % 64
        side.data_at = at
        at += int(side.blocks) << int(side.block_bits)
    at += -at % 64
    _require(at + CHECKSUM_BYTES == size, "the file has another size than its header says")
