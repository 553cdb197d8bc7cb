"""Opens files that a user names: only regular files, and opening never blocks.

The type is checked on the open descriptor, so a file that is swapped meanwhile does no harm.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import IO

_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without ``O_NONBLOCK``, opening a pipe waits for its other end."""


def named(text: str) -> Path:
    """Return ``text`` as a path encoded in UTF-8, whatever the encoding of the system's locale.

    Clients send UTF-8, even where the locale is plain ASCII.
    """
    return Path(os.fsdecode(text.encode(errors="surrogateescape")))


def open_file(path: Path | str) -> IO[bytes]:
    """Open a regular file to read; raises `OSError` for anything else."""
    return os.fdopen(open_descriptor(path, os.O_RDONLY), "rb")


def open_new(path: Path | str) -> IO[bytes]:
    """Open a regular file to write, truncated; raises `OSError` for anything else."""
    return os.fdopen(open_descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb")


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically: on `OSError` the old one is unchanged."""
    replace_file_in_parts(path, [data])


def replace_file_in_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace a file atomically by the concatenated ``parts``.

    On `OSError`, and on errors that ``parts`` raises, the old file is unchanged.
    """
    if not path.name:  # . and /
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def open_log(path: Path | str) -> IO[bytes]:
    """Open a file to append, unbuffered: a regular file, a terminal or the null device.

    Raises `OSError` for anything else.
    """
    descriptor = open_descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, log=True)
    return os.fdopen(descriptor, "ab", buffering=0)


def open_descriptor(path: Path | str, flags: int, log: bool = False) -> int:
    """Return a descriptor as `os.open` does, but only of a regular file; a ``log`` may also be a
    terminal or the null device. Raises `OSError` for anything else.
    """
    try:
        descriptor = os.open(path, flags | _FLAGS, 0o666)
    except ValueError as error:  # a NUL, or a character that the file system cannot encode
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a pipe without a reader
            raise _refusal(path) from None
        raise
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or (log and stat.S_ISCHR(mode) and _takes_anything(descriptor)):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise _refusal(path)


def _takes_anything(descriptor: int) -> bool:
    """Return whether a device is a terminal or the null device."""
    null = Path(os.devnull).stat()
    return os.isatty(descriptor) or os.path.samestat(os.fstat(descriptor), null)


def _refusal(path: Path | str) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", str(path))
