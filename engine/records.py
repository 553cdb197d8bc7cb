"""Records: numpy's C structs, one pointer in a kernel."""

from typing import Any

import numpy as np

_CACHE_LINE = 64


def new_record(dtype: Any) -> Any:
    """Return a zeroed scalar record of ``dtype`` that begins on a cache line of its own.

    Fields are attributes, compiled and interpreted alike.
    """
    size = -(-dtype.itemsize // _CACHE_LINE) * _CACHE_LINE
    memory = np.zeros(size + _CACHE_LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : start + dtype.itemsize].view(dtype).view(np.recarray)[0]


def address_of(record: Any) -> int:
    """Return where a record that `new_record` made lies in memory."""
    return int(record.base.ctypes.data)


def copy_record(target: Any, source: Any) -> None:
    """Copy what one record that `new_record` made holds to another of the same dtype."""
    target.base[:] = source.base
