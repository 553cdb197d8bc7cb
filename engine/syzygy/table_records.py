"""The records of open tables: the directory, a table, one of its sides, a thread's cache."""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from engine.syzygy.geometry import MAX_PIECES

MAX_CODE = 32
"""The most bits of a code of the compression."""

SHORT_CODE = 7
"""The most bits of a code that is looked up, and not searched for by its length.

With 10 bits the words of all tables no longer fit the processor's cache, and a probe takes half as
long again.
"""

SIDES = 8
"""The parts of a table: for each of four files of the leading pawn, for each side to move."""

SIDE = np.dtype(
    [
        ("pieces", np.int64, MAX_PIECES),
        ("groups", np.int64, MAX_PIECES),
        ("factors", np.int64, MAX_PIECES),
        ("positions", np.int64),
        ("constant", np.int64),
        ("index_bits", np.int64),
        ("block_bits", np.int64),
        ("blocks", np.int64),
        ("sizes", np.int64),
        ("index_at", np.int64),
        ("sizes_at", np.int64),
        ("data_at", np.int64),
        ("shortest", np.int64),
        ("longest", np.int64),
        ("bases", np.uint64, MAX_CODE + 1),
        ("firsts", np.int64, MAX_CODE + 1),
        ("short_codes", np.int64),
        ("symbols", np.int64),
        ("first_symbol", np.int64),
    ],
    align=True,
)
"""One part of a table, see `engine.syzygy.wdl_file`.

``groups`` and ``factors`` have the size of each group of equal pieces, and the weight of its
number, where it starts. ``constant`` is the value of all positions if ``index_bits`` is 0.
``blocks`` of ``1 << block_bits`` bytes hold the values. ``bases`` and ``firsts``, by the length of
a code, are the least code and the symbol that it stands for. Of the directory's words the table of
codes of up to `SHORT_CODE` bits starts at ``short_codes``, that of the ``symbols`` at
``first_symbol``.
"""

TABLE = np.dtype(
    [
        ("file", np.int64),
        ("file_size", np.int64),
        ("first_page", np.int64),
        ("memory", np.int64),
        ("pieces", np.int64),
        ("leading", np.int64),
        ("following", np.int64),
        ("symmetric", np.int64),
        ("unlike", np.int64),
        ("sides", SIDE, (SIDES,)),
    ],
    align=True,
)
"""A table: the descriptor of its ``file`` of ``file_size`` bytes, whose pages are numbered from
``first_page``, the address of its bytes if they are in ``memory`` instead, the number of its
``pieces``, of the ``leading`` pawns and of the other side's, the ``following`` ones, whether both
sides have the same pieces, and how many pieces lead a position without pawns: three ``unlike`` ones
or two kings."""

SLOTS = 8192
"""A power of two, more than twice the number of all tables and their mirror images."""

MIX = 0x9E3779B97F4A7C15
"""An odd number that spreads keys over the slots (Donald Knuth's multiplicative hashing)."""

SLOT_SHIFT = 64 - (SLOTS.bit_length() - 1)

DIRECTORY = np.dtype(
    [
        ("tables", np.int64),
        ("words", np.int64),
        ("pread", np.int64),
        ("numbers", np.int64, SLOTS),
        ("keys", np.uint64, SLOTS),
    ],
    align=True,
)
"""All open tables: the addresses of their records, of all codes and symbols (see
`engine.syzygy.wdl_file.read_header`) and of the system's ``pread``; a
hash table from material to the number of a table, times 2, plus 1 where the colours are swapped."""

PAGE_BITS, PAGES = 12, 512
PAGE_SIZE = 1 << PAGE_BITS
RUN = 256
"""The bytes that a `fetch` makes available from any place on; an aligned block of this size never
crosses the end of the kept part of a page."""

PAGE_ROOM = PAGE_SIZE + RUN

CACHE = np.dtype(
    [
        ("squares", np.int64, MAX_PIECES + 1),
        ("places", np.int64, MAX_PIECES + 1),
        ("tags", np.int64, PAGES),
        ("pages", np.uint8, PAGES * PAGE_ROOM),
    ],
    align=True,
)
"""A thread's data for probing: room for numbers by piece, and the pages that it read last."""

if TYPE_CHECKING:
    from typing import Protocol

    from numpy.typing import NDArray

    from engine.board.annotations import Count

    class Side(Protocol):
        """A record of `SIDE`."""

        pieces: NDArray[np.int64]
        groups: NDArray[np.int64]
        factors: NDArray[np.int64]
        positions: Count
        constant: Count
        index_bits: Count
        block_bits: Count
        blocks: Count
        sizes: Count
        index_at: Count
        sizes_at: Count
        data_at: Count
        shortest: Count
        longest: Count
        bases: NDArray[np.uint64]
        firsts: NDArray[np.int64]
        short_codes: Count
        symbols: Count
        first_symbol: Count

    class WdlTable(Protocol):
        """A record of `TABLE`."""

        file: Count
        file_size: Count
        first_page: Count
        memory: Count
        pieces: Count
        leading: Count
        following: Count
        symmetric: Count
        unlike: Count
        sides: NDArray[Any]

    class Directory(Protocol):
        """A record of `DIRECTORY`."""

        tables: Count
        words: Count
        pread: Count
        numbers: NDArray[np.int64]
        keys: NDArray[np.uint64]

    class Cache(Protocol):
        """A record of `CACHE`."""

        squares: NDArray[np.int64]
        places: NDArray[np.int64]
        tags: NDArray[np.int64]
        pages: NDArray[np.uint8]

else:
    Side: TypeAlias = Any
    WdlTable: TypeAlias = Any
    Directory: TypeAlias = Any
    Cache: TypeAlias = Any
