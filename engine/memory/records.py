"""Records: numpy's C structs, one pointer in a kernel."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.memory.large_pages import LARGE_PAGE, allocate

Record: TypeAlias = Any
"""A record of some dtype: numpy's stubs do not know its fields. Protocols such as
`engine.board.annotations.Position` name those of the records that most kernels work on."""

Field: TypeAlias = tuple[Any, ...]
"""A field of a dtype: its name, its type and perhaps its shape."""

_CACHE_LINE = 64


def new_record(dtype: np.dtype[Any]) -> Record:
    """Return a zeroed scalar record of ``dtype`` that begins on a cache line of its own.

    Fields are attributes, compiled and interpreted alike.
    """
    return _memory(dtype.itemsize).view(dtype).view(np.recarray)[0]


def _memory(size: int) -> NDArray[np.uint8]:
    if size >= LARGE_PAGE:
        return allocate(size)
    room = np.zeros(size + 2 * _CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % _CACHE_LINE
    return room[start : start + size]


def wipe(record: Record) -> None:
    """Zero a record that `new_record` made, in place."""
    array_of(record).view(np.uint8)[:] = 0


def address_of(record: Record) -> int:
    """Return the address of a record that `new_record` made."""
    return int(record.base.ctypes.data)


def array_of(record: Record) -> NDArray[Any]:
    """Return the array of length 1 that holds a record.

    Passing it from Python to an entry point takes no time; passing a record takes 9 µs, since
    numpy describes all of its fields each time.
    """
    array: NDArray[Any] = record.base.view(np.ndarray)
    return array


def word_of(record: Record, field: str) -> NDArray[np.int64]:
    """Return an ``int64`` field as an array of length 1: reading it takes no time, reading an
    attribute 3 µs."""
    return np.ndarray(1, np.int64, record.base, record.dtype.fields[field][1])


def copy_record(target: Record, source: Record) -> None:
    """Copy ``source`` to ``target``; both are made by `new_record`, with the same dtype."""
    target.base[:] = source.base
