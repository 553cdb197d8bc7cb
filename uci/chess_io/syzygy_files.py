"""Syzygy files read without a memory map.

With python-chess's memory map, a truncated file or a failing disk ends the process. These classes
read the file and raise an error instead.
"""

import os
from typing import Any

import chess.syzygy

from engine.files import open_descriptor

_BLOCK, _KEPT = 4096, 32
"""Bytes per block, and the number of blocks that are kept per file."""


class _Bytes:
    """The bytes of a file, with the interface of a memory map."""

    def __init__(self, path: str) -> None:
        self._file = open_descriptor(path, os.O_RDONLY)
        self._size = os.fstat(self._file).st_size
        self._blocks: dict[int, bytes] = {}

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, at: int | slice) -> int | bytes:
        if isinstance(at, slice):
            start, stop, _ = at.indices(self._size)
            return self.read(start, stop - start)
        block = self._blocks.get(at // _BLOCK) or self._block(at // _BLOCK)
        try:
            return block[at % _BLOCK]
        except IndexError:
            raise OSError("the file has shrunk") from None

    def read(self, at: int, size: int) -> bytes:
        """Return ``size`` bytes from offset ``at``. Raises `OSError` if the file ends before."""
        start = at % _BLOCK
        if start + size <= _BLOCK:
            block = self._blocks.get(at // _BLOCK) or self._block(at // _BLOCK)
            data = block[start : start + size]
        else:
            data = os.pread(self._file, size, at)
        if len(data) < size:
            raise OSError("the file has shrunk")
        return data

    def _block(self, number: int) -> bytes:
        """Read a block and cache it; the last block of a file may be short."""
        data = os.pread(self._file, _BLOCK, number * _BLOCK)
        if len(self._blocks) >= _KEPT:
            self._blocks.clear()
        self._blocks[number] = data
        return data

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class _Reading(chess.syzygy.Table):
    """A table that reads its file through `_Bytes`."""

    data: Any

    def init_mmap(self) -> None:
        if self.data is None:
            self.data = _Bytes(self.path)

    def read_uint16(self, data_ptr: int) -> int:
        return int.from_bytes(self.data.read(data_ptr, 2), "little")

    def read_uint32(self, data_ptr: int) -> int:
        return int.from_bytes(self.data.read(data_ptr, 4), "little")

    def read_uint32_be(self, data_ptr: int) -> int:
        return int.from_bytes(self.data.read(data_ptr, 4), "big")

    def read_uint64_be(self, data_ptr: int) -> int:
        return int.from_bytes(self.data.read(data_ptr, 8), "big")


class _WdlFile(_Reading, chess.syzygy.WdlTable):
    """A WDL table."""


class _DtzFile(_Reading, chess.syzygy.DtzTable):
    """A DTZ table."""


_READS = hasattr(os, "pread")
"""Windows has no ``pread``; there a mapped file cannot be truncated, so the map is safe."""

WdlFile = _WdlFile if _READS else chess.syzygy.WdlTable
DtzFile = _DtzFile if _READS else chess.syzygy.DtzTable
