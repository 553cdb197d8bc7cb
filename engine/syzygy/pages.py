"""Reads the files of tables in pages, of which each thread keeps those it read last.

A page is read by the system's ``pread``, not seen through a memory map: where a file has shrunk or
a disk fails, the look-up fails, and not the process.
"""

import numpy as np

from engine.board.annotations import Count
from engine.jit.intrinsics import read_file
from engine.jit.kernel import kernel
from engine.syzygy.table_records import (
    CACHE,
    PAGE_BITS,
    PAGE_ROOM,
    PAGE_SIZE,
    PAGES,
    Cache,
    Directory,
    WdlTable,
)

WORD = 8
"""The bytes that are loaded at once."""

_PAGES_AT = CACHE.fields["pages"][1]  # type: ignore[index]


@kernel
def fetch(
    directory: Directory, cache: Cache, cache_address: Count, table: WdlTable, at: Count
) -> Count:
    """Return the address of the bytes from ``at`` on in a table's file; 0 if they cannot be read.

    It is valid until the next call, for `RUN` bytes or up to the end of the file, at least `WORD`.
    """
    if at < 0 or at + WORD > table.file_size:
        return np.int64(0)
    if table.memory != 0:
        return table.memory + at
    page = at >> PAGE_BITS
    tag = table.first_page + page + 1
    slot = tag & (PAGES - 1)
    start = cache_address + _PAGES_AT + slot * PAGE_ROOM
    if cache.tags[slot] != tag:
        cache.tags[slot] = 0
        first = page << PAGE_BITS
        size = min(np.int64(PAGE_ROOM), table.file_size - first)
        if read_file(directory.pread, table.file, start, size, first) != size:
            return np.int64(0)
        cache.tags[slot] = tag
    return start + (at & (PAGE_SIZE - 1))
