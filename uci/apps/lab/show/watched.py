"""A record and its arrays, whose reads and writes are noted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.memory.records import Record


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of an element; ``value`` is what it holds afterwards."""

    writes: bool
    field: str
    index: int
    value: int


Note = Callable[[Access], None]


class WatchedArray:
    """An array in which single elements are read and written."""

    __slots__ = ("_array", "_field", "_note")

    def __init__(self, array: NDArray[Any], field: str, note: Note) -> None:
        self._array = array
        self._field = field
        self._note = note

    def __getitem__(self, index: Any) -> Any:
        value = self._array[index]
        self._tell(False, index, value)
        return value

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array[index] = value
        self._tell(True, index, self._array[index])

    def _tell(self, writes: bool, index: Any, value: Any) -> None:
        place = index if isinstance(index, tuple) else (index,)
        flat = int(np.ravel_multi_index([int(part) for part in place], self._array.shape))
        self._note(Access(writes, self._field, flat, int(value)))


class WatchedRecord:
    """A record as kernels see it; reads and writes of ``fields`` are noted."""

    def __init__(self, record: Record, fields: Iterable[str], note: Note) -> None:
        arrays = {
            name: getattr(record, name) for name in record.dtype.names if record.dtype[name].shape
        }
        watched = frozenset(fields)
        for name in watched & arrays.keys():
            arrays[name] = WatchedArray(arrays[name], name, note)
        self.__dict__.update(arrays)  # found there before `__getattr__` is asked
        self.__dict__["_own"] = record, watched, note

    def __getattr__(self, name: str) -> Any:
        record, watched, note = self.__dict__["_own"]
        value = getattr(record, name)
        if name in watched:
            note(Access(False, name, 0, int(value)))
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        record, watched, note = self.__dict__["_own"]
        setattr(record, name, value)
        if name in watched:
            note(Access(True, name, 0, int(getattr(record, name))))
