"""Hash files: the transposition table and the histories of a search, for another process.

==========  ========================================================================
bytes       meaning
==========  ========================================================================
0 to 7      ``PYTHHASH``
8 to 11     the length of the description, ``uint32``
then        the description, in JSON
            `HISTORIES` of the first thread, ``int16``
            the entries of the table, as `engine.search.tt.ENTRY`
last 32     SHA-256 of everything before
==========  ========================================================================

All numbers are little-endian. With a table of the same size and one thread, a search after loading
visits the same nodes as it would have in the process that saved the file.
"""

import hashlib
import json
import os
import struct
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from engine.files import open_file, replace_file_in_parts
from engine.memory.records import Record
from engine.search.searcher import Searcher
from engine.search.tt import AGES, ENTRY, NoTable, Table

HISTORIES = ("history", "capture", "continuation", "correction", "move_correction")
"""The fields of a thread's record that one search leaves to the next."""

_MAGIC = b"PYTHHASH"
_HEAD = struct.Struct("<8sI")
_STORED = ENTRY.newbyteorder("<")
_DIGEST_BYTES = 32
_CHUNK = 1 << 23
"""Bytes that are read at a time: whole entries."""

_saving = threading.Lock()
"""Held while a file is written: the drafts of one process share a name."""

_MISFITS = {
    "version": "it is from version {}, this is version {}",
    "evaluation": "it was made with the evaluation {}, this is {}",
    "search": "it was made with other search parameters",
}


class HashFileError(ValueError):
    """A hash file that cannot be used; the message is one line."""


def save_hash(searcher: Searcher, path: Path, version: str) -> int:
    """Write a hash file as a whole, or leave what was there; return the number of entries.

    It is for the same ``version`` of the program. Raises `OSError`, and `HashFileError` if draws
    are not worth 0 in the table.
    """
    if searcher.draw_score != (0, 0):
        raise HashFileError("the scores in the table depend on Contempt")
    table, th = searcher.table, cast("Record", searcher.records[0])
    description = {**_binding(searcher, version), "fifty": searcher.fifty, "age": table.age}
    text = json.dumps(description).encode()
    count = 0

    def parts() -> Iterator[NDArray[Any] | bytes]:
        nonlocal count
        yield _HEAD.pack(_MAGIC, len(text)) + text
        for name in HISTORIES:
            yield th[name].astype("<i2")
        for entries in table.entries():
            count += len(entries)
            yield entries.astype(_STORED, copy=False)

    with _saving:
        replace_file_in_parts(path, _signed(parts()))
    return count


def load_hash(searcher: Searcher, path: Path, version: str) -> int:
    """Replace table and histories by saved ones; return the number of entries.

    Raises `OSError`, or `HashFileError` if the file is damaged or does not fit; then nothing has
    changed.
    """
    with open_file(path) as file:
        saved = _HashFile(file, _binding(searcher, version))
        searcher.clear()
        searcher.draw_score, searcher.fifty = (0, 0), saved.description["fifty"]
        return saved.restore(searcher.table, searcher.records)


def _binding(searcher: Searcher, version: str) -> dict[str, Any]:
    """Return what the scores in the table depend on."""
    search = {"kind": type(searcher).__name__, **searcher.parameters}
    return {"version": version, "evaluation": searcher.evaluation_id(), "search": search}


def _signed(parts: Iterable[NDArray[Any] | bytes]) -> Iterator[bytes]:
    """Yield the bytes of ``parts``, and their digest."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.tobytes()
        digest.update(data)
        yield data
    yield digest.digest()


class _HashFile:
    """An open hash file that is undamaged and fits."""

    def __init__(self, file: IO[bytes], expected: Mapping[str, Any]) -> None:
        """Check the digest, then compare the description with what is ``expected`` of it."""
        self._file = file
        self._left = _checked_size(file)
        _, length = _HEAD.unpack(self._read(_HEAD.size))
        self.description = _description(self._read(length))
        for key, ours in expected.items():
            theirs = self.description.get(key)
            if theirs != ours:
                raise HashFileError(_MISFITS[key].format(f"{theirs!s:.64}", ours))

    def restore(self, table: Table | NoTable, threads: Sequence[Record]) -> int:
        """Fill an empty ``table``, and set the histories of all ``threads``; return the number of
        entries in the file."""
        for name in HISTORIES:
            field = threads[0][name]
            saved = np.frombuffer(self._read(field.nbytes), "<i2").reshape(field.shape)
            for th in threads:
                th[name][...] = saved
        count = self._left // ENTRY.itemsize
        table.age = self.description["age"]
        while self._left:
            data = self._read(min(_CHUNK, self._left))
            table.insert(np.frombuffer(data, _STORED).astype(ENTRY, copy=False))
        return count

    def _read(self, size: int) -> bytes:
        self._left -= size
        data = self._file.read(size)
        if len(data) < size or self._left < 0:
            raise HashFileError("the file changed while it was read")
        return data


def _description(text: bytes) -> dict[str, Any]:
    """Return the description, with all that is used of it: anyone can sign another one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if (
        not isinstance(found, dict)
        or found.get("age") not in range(AGES)
        or found.get("fifty") not in (False, True)
    ):
        raise HashFileError("invalid description")
    return found


def _checked_size(file: IO[bytes]) -> int:
    """Return the size of a file in bytes without its digest, which is right; rewind the file."""
    if file.read(len(_MAGIC)) != _MAGIC:
        raise HashFileError("not a hash file of Pythagoras")
    size = max(os.fstat(file.fileno()).st_size - _DIGEST_BYTES, 0)
    file.seek(0)
    digest, left = hashlib.sha256(), size
    while data := file.read(min(_CHUNK, left)):
        digest.update(data)
        left -= len(data)
    if left or file.read() != digest.digest():
        raise HashFileError("bad checksum: the file is damaged")
    file.seek(0)
    return size
