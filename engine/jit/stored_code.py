"""A cache of machine code that loads without the compiler. Needs numba's private parts.

numba's own cache takes its folder from the user's settings, and imports the whole compiler before
it loads anything, half the time of a warm start.
"""

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from engine.jit import cache

_reduce, _rebuild = CompileResult._reduce, CompileResult._rebuild


class Stored(NullCache):  # type: ignore[misc]
    """The files of one entry point: one for each signature and processor."""

    def __init__(
        self, name: str, folder: Callable[[], Path | None], tell: Callable[[OSError], None]
    ) -> None:
        """Keep the code of the entry point ``name`` in ``folder()``, called when it is needed.

        Call ``tell`` with the error where it cannot be stored.
        """
        self._name = name
        self._folder = folder
        self._tell = tell

    def is_sound(self, signature: Any, context: Any) -> bool:
        """Return whether there is code for ``signature``, undamaged."""
        path = self._path(signature, context)
        return path is not None and _read(path) is not None

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for ``signature``; ``None`` if there is none, or it is damaged."""
        path = self._path(signature, context)
        if path is None:
            return None
        rtsys.initialize(context)  # the runtime functions that machine code calls
        data = _read(path)
        return None if data is None else _rebuild(context, *pickle.loads(data))  # noqa: S301  (the file is ours alone)

    def save_overload(self, signature: Any, code: Any) -> None:
        """Store the code; an `OSError`, as of a full disk, is passed to ``tell`` and not raised."""
        path = self._path(signature, code.target_context)
        if path is None or code.library.has_dynamic_globals:
            return
        data = dumps(_reduce(code))
        try:
            cache.write(path, _checked(path, data) + data)
        except OSError as error:
            self._tell(error)

    def _path(self, signature: Any, context: Any) -> Path | None:
        folder = self._folder()
        if folder is None:
            return None
        key = repr((signature, context.codegen().magic_tuple())).encode()
        return folder / f"{self._name}-{hashlib.sha256(key).hexdigest()[:16]}.code"


_CHECK = 32
"""Bytes that `_checked` returns."""


def _checked(path: Path, data: bytes) -> bytes:
    """Return a digest of a file's data and name, which detects a damaged or misplaced file.

    Files are damaged if power fails during a write, or if two processes write at once where files
    cannot be locked.
    """
    return hashlib.sha256(f"{path.parent.name}/{path.name} ".encode() + data).digest()


def _read(path: Path) -> bytes | None:
    """Return what was stored in a file; ``None`` if there is nothing, or it is damaged."""
    try:
        found = cache.read(path)
    except OSError:
        return None
    data = found[_CHECK:]
    return data if found[:_CHECK] == _checked(path, data) else None
