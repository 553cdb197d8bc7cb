"""Decompresses files: gzip, bzip2, xz, zip, and zstd if this Python supports it."""

import contextlib
import errno
import importlib
import io
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO

from engine.files import open_file

SUFFIXES = (".gz", ".bz2", ".xz", ".zip", ".zst")
"""Suffixes of compressed files."""

GAMES = (".pgn", ".epd", ".fen", ".txt")
"""Suffixes of the files that are read from an archive with several files."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
MODULES = {
    b"\x1f\x8b": ("gzip", "gzip"),
    b"BZh": ("bzip2", "bz2"),
    b"\xfd7zXZ\0": ("xz", "lzma"),
    b"\x28\xb5\x2f\xfd": ("zstd", "compression.zstd"),
}
"""First bytes of the supported formats, their names, and the modules that read them."""

UNREADABLE = {
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"\x1f\x9d": "compress (.Z)",
    b"\x04\x22\x4d\x18": "LZ4",
}
"""First bytes and names of formats that the standard library cannot read."""

TAR, TAR_AT = b"ustar", 257
START = 512
"""Number of bytes that identify a format."""


class DamagedFile(OSError):
    """Raised if compressed data are damaged or end early; the data read before are valid."""


def open_text(path: Path | str) -> IO[bytes]:
    """Open a regular file for reading its decompressed contents.

    Raises `OSError` if `open_file` does, or if the compression cannot be read.
    """
    with contextlib.ExitStack() as stack:
        found = decompressed(stack.enter_context(open_file(path)))
        stack.pop_all()
        return found


def decompressed(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream of the decompressed contents: ``stream`` itself if it is not compressed.

    The first bytes show the format. Raises `OSError` if the compression cannot be read.
    """
    if stream.seekable():
        start = stream.read(START)
        stream.seek(0)
    else:
        start = stream.read(max(map(len, (*MODULES, *UNREADABLE))))
        stream = io.BufferedReader(Joined(start, stream))
    if start.startswith(ZIP):
        return io.BufferedReader(_Decoded("zip", _members(stream), stream))
    for magic, (name, module) in MODULES.items():
        if start.startswith(magic):
            opening = partial(_opener(name, module), stream)
            found = io.BufferedReader(_Decoded(name, [opening], stream))
            with contextlib.suppress(DamagedFile):  # raised again when it is read
                _refuse_tar(found.peek(START))
            return found
    for magic, name in UNREADABLE.items():
        if start.startswith(magic):
            raise _refusal(f"{name} files are not supported: extract the file first")
    _refuse_tar(start)
    return stream


def stem_of(path: Path) -> str:
    """Return a file name without the suffixes of its format: ``games`` for ``games.pgn.gz``."""
    if path.suffix.lower() not in SUFFIXES:
        return path.stem
    inner = Path(path.stem)
    return inner.stem if inner.suffix.lower() in GAMES else inner.name


def _opener(name: str, module: str) -> Callable[[IO[bytes]], IO[bytes]]:
    """Return the opener of a compressed stream. Raises `OSError` without the Python module."""
    try:
        found: Callable[[IO[bytes]], IO[bytes]] = importlib.import_module(module).open
    except ImportError:
        needs = "Python 3.14 or newer" if name == "zstd" else f"Python's module {module}"
        raise _refusal(f"{name} files need {needs}: decompress it first") from None
    return found


def _refuse_tar(start: bytes) -> None:
    if start[TAR_AT:].startswith(TAR):
        raise _refusal("tar files are not supported: extract the file first")


def _members(stream: IO[bytes]) -> Sequence[Callable[[], IO[bytes]]]:
    """Return an opener for each file of games in a zip archive. Raises `OSError`."""
    if not stream.seekable():
        copy = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the archive)
        shutil.copyfileobj(stream, copy)
        stream = copy
    try:
        archive = zipfile.ZipFile(stream)
        members = _wanted(archive.infolist())
        for member in members:
            archive.open(member).close()
    except zipfile.BadZipFile:
        raise _damaged("zip") from None
    except NotImplementedError:
        raise _refusal("unsupported compression in the archive: extract it first") from None
    except RuntimeError:
        raise _refusal("the archive is encrypted: extract it first") from None
    if not members:
        raise _refusal("no games in the archive")
    return [partial(archive.open, member) for member in members]


def _wanted(members: Iterable[zipfile.ZipInfo]) -> Sequence[zipfile.ZipInfo]:
    """Return the archive's files of games: those with such a suffix, or the only file."""
    files = [
        member
        for member in members
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    named = [file for file in files if Path(file.filename).suffix.lower() in GAMES]
    return named or files[: len(files) == 1]


def _refusal(why: str) -> OSError:
    return OSError(errno.EINVAL, why)


def _damaged(name: str) -> DamagedFile:
    return DamagedFile(errno.EIO, f"{name} data are damaged or truncated")


class _Decoded(io.RawIOBase):
    """The decompressed data of several files, one after the other, each followed by a line end."""

    def __init__(
        self, name: str, files: Iterable[Callable[[], IO[bytes]]], source: IO[bytes]
    ) -> None:
        self._name, self._source = name, source
        self._files: Iterator[Callable[[], IO[bytes]]] = iter(files)
        self._file: IO[bytes] | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._read(len(buffer))
        except OSError as error:
            if error.errno is not None:  # an error of the file itself
                raise
            raise _damaged(self._name) from None
        except Exception as error:
            if not isinstance(error, EOFError | zlib.error | zipfile.BadZipFile) and (
                type(error).__name__ not in ("LZMAError", "ZstdError")  # may not be importable
            ):
                raise
            raise _damaged(self._name) from None
        buffer[: len(data)] = data
        return len(data)

    def _read(self, size: int) -> bytes:
        if self._file is None:
            opening = next(self._files, None)
            if opening is None:
                return b""
            self._file = opening()
        if data := self._file.read(size):
            return data
        self._file.close()
        self._file = None
        return b"\n"

    def close(self) -> None:
        """Close this stream and its source."""
        if not self.closed:
            self._source.close()
        super().close()


class Joined(io.RawIOBase):
    """A stream with the bytes that were already read put back."""

    def __init__(self, start: bytes, stream: IO[bytes]) -> None:
        self._start, self._stream = start, stream

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read the available bytes, without waiting for more."""
        read = getattr(self._stream, "read1", self._stream.read)
        data = self._start[: len(buffer)] or read(len(buffer))
        self._start = self._start[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)
