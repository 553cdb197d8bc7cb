"""Syzygy files without a memory map: where a file has shrunk, or a disk fails, that would end the
process. python-chess's tables read a map byte by byte; these read the file, and raise an error.
"""

import os
from typing import Any

import chess.syzygy

from engine.files import open_descriptor

_BLOCK, _KEPT = 4096, 32
"""Bytes that are read at once, and how many such blocks of a file are kept."""


class _Bytes:
    """The bytes of a file, as a memory map shows them."""

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
        """Return ``size`` bytes from the place ``at``; `OSError` where there are none."""
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
        """Read a block, and keep it; the last one of a file is short."""
        data = os.pread(self._file, _BLOCK, number * _BLOCK)
        if len(self._blocks) >= _KEPT:
            self._blocks.clear()
        self._blocks[number] = data
        return data

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class _Reading(chess.syzygy.Table):
    """A table that reads its file with `_Bytes`."""

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
    """A table of results."""


class _DtzFile(_Reading, chess.syzygy.DtzTable):
    """A table of distances."""


_READS = hasattr(os, "pread")
"""Windows reads no place of a file at once; there nobody can shorten a file that is mapped."""

WdlFile = _WdlFile if _READS else chess.syzygy.WdlTable
DtzFile = _DtzFile if _READS else chess.syzygy.DtzTable
