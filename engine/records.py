"""Records: numpy's C structs, one pointer in a kernel."""

from typing import Any

import numpy as np

from engine.memory import LARGE_PAGE, allocate

_CACHE_LINE = 64


def new_record(dtype: Any) -> Any:
    """Return a zeroed scalar record of ``dtype`` that begins on a cache line of its own.

    Fields are attributes, compiled and interpreted alike.
    """
    return _memory(dtype.itemsize).view(dtype).view(np.recarray)[0]


def _memory(size: int) -> Any:
    if size >= LARGE_PAGE:
        return allocate(size)
    room = np.zeros(size + 2 * _CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    return room[start : start + size]


def address_of(record: Any) -> int:
    """Return where a record that `new_record` made lies in memory."""
    return int(record.base.ctypes.data)


def copy_record(target: Any, source: Any) -> None:
    """Copy what one record that `new_record` made holds to another of the same dtype."""
    target.base[:] = source.base
