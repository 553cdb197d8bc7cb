"""Open tables of results: their files, their directory, and what a thread needs to probe them."""

import ctypes
import os
import sys
import weakref
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.files import open_descriptor
from engine.memory.records import Record, address_of, new_record
from engine.syzygy.table_records import (
    CACHE,
    DIRECTORY,
    MIX,
    PAGE_SIZE,
    SLOT_SHIFT,
    SLOTS,
    TABLE,
)
from engine.syzygy.wdl_file import DamagedTable, material_key, read_header

_HEADER_BYTES = 1 << 19
"""Bytes to read for a header, more than any header has."""

_MEMORY_LIMIT = 64 << 20
"""The most bytes of tables that are read into memory if the system has no ``pread``."""

_OTHER_FILES = 256
"""File descriptors left to the rest of the process, including the prober of distances (DTZ)."""

_WORD = (1 << 64) - 1


def pread_address() -> int:
    """Return the address of the system's ``pread``; 0 if it has none with 64-bit offsets."""
    if not hasattr(os, "pread") or sys.maxsize < 1 << 32:
        return 0
    try:
        return ctypes.cast(ctypes.CDLL(None).pread, ctypes.c_void_p).value or 0
    except (OSError, AttributeError):
        return 0


def _most_files() -> int:
    try:
        import resource
    except ImportError:
        return 1 << 20  # files are in memory there
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else max(0, soft - _OTHER_FILES)


class Tablebases:
    """Tables that kernels can probe, from any number of threads.

    ``largest`` is the number of pieces in their positions, ``count`` the number of tables,
    ``damaged`` the files that are not valid tables, ``unread`` the number of files for
    which there was no descriptor or no memory. The files are closed with the last reference.
    """

    def __init__(
        self, files: Iterable[Path], pread: int | None = None, checked: bool = False
    ) -> None:
        """Open ``files``, named like "KQvKR.rtbw"; of files with one name, the first undamaged one.

        ``pread`` is the address of the system's function (None: `pread_address`); if it is 0, the
        files are read into memory. Headers and sizes are always checked, checksums only if
        ``checked``, which reads all files.
        """
        self._checked = checked
        self._pread = pread_address() if pread is None else pread
        self.in_memory = self._pread == 0
        self.damaged: list[Path] = []
        self.unread = 0
        self._room = _MEMORY_LIMIT if self.in_memory else _most_files()
        self._bytes: list[NDArray[np.uint8]] = []
        self._pages = self._word_count = 0
        descriptors: list[int] = []
        self._close = weakref.finalize(self, _close, descriptors)
        records: list[Record] = []
        words: list[NDArray[np.uint64]] = []
        names: set[str] = set()
        for file in files:
            if file.stem not in names:
                record = self._open(file, descriptors, words)
                if record is not None:
                    records.append(record)
                    names.add(file.stem)
        self._tables = np.array([each.tolist() for each in records], TABLE)
        self._words = np.concatenate([*words, np.zeros(1, np.uint64)])
        self.count = len(records)
        self.largest = max((int(each.pieces) for each in records), default=0)
        self._directory = self._index(records)

    def _open(
        self, file: Path, descriptors: list[int], words: list[NDArray[np.uint64]]
    ) -> Record | None:
        """Return the record of an open table; ``None`` if it is damaged or has no room."""
        try:
            descriptor = open_descriptor(file, os.O_RDONLY)
        except OSError:
            self.damaged.append(file)
            return None
        kept = False
        try:
            size = os.fstat(descriptor).st_size
            needs = size if self.in_memory else 1
            if needs > self._room:
                self.unread += 1
                return None
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                data = stream.read(size if self.in_memory else min(size, _HEADER_BYTES))
            record, found = read_header(file.stem, data, size)
            if self._checked and not _has_right_checksum(file):
                raise DamagedTable("wrong checksum")
            if self.in_memory:
                if len(data) != size:
                    raise DamagedTable("the file has shrunk")
                self._bytes.append(np.frombuffer(data, np.uint8))
                record.memory = self._bytes[-1].ctypes.data
            else:
                record.file, kept = descriptor, True
                descriptors.append(descriptor)
            record.first_page = self._pages
            self._pages += -(-size // PAGE_SIZE)
            for field in ("short_codes", "first_symbol"):
                record.sides[field] += self._word_count
            self._word_count += len(found)
            words.append(found)
            self._room -= needs
            return record
        except (OSError, ValueError):
            self.damaged.append(file)
            return None
        finally:
            if not kept:
                os.close(descriptor)

    def _index(self, records: list[Record]) -> Record:
        directory = new_record(DIRECTORY)
        directory.tables, directory.words = self._tables.ctypes.data, self._words.ctypes.data
        directory.pread = self._pread
        for number, record in enumerate(records):
            order = record.sides[0].pieces[: record.pieces]
            pieces = Counter(int(piece) for piece in order)
            for swapped in (False,) if record.symmetric else (False, True):
                key = material_key(pieces, swapped)
                slot = (key * MIX & _WORD) >> SLOT_SHIFT
                while directory.keys[slot]:
                    slot = (slot + 1) % SLOTS
                directory.keys[slot] = key
                directory.numbers[slot] = 2 * number + swapped
        return directory

    @property
    def address(self) -> int:
        """The address of the directory."""
        return address_of(self._directory)


def _has_right_checksum(file: Path) -> bool:
    from engine.syzygy.checksum import has_right_checksum  # which loads the compiler

    return has_right_checksum(file)


def new_cache() -> Any:
    """Return the record that a thread needs to probe tables."""
    return new_record(CACHE)


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
