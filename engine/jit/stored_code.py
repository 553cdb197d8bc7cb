"""Machine code of our own, kept and loaded without the compiler. Needs numba's private parts.

numba's own cache asks its settings for a folder, which belong to the user, and imports all that
it can compile before it loads anything, half the time of a warm start.
"""

import contextlib
import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

_reduce, _rebuild = CompileResult._reduce, CompileResult._rebuild


class Stored(NullCache):  # type: ignore[misc]
    """The files of one entry point: one for each signature and processor."""

    def __init__(self, name: str, folder: Callable[[], Path | None]) -> None:
        """Keep what is called ``name`` in ``folder``, which is asked for when it is needed."""
        self._name = name
        self._folder = folder

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for ``signature``; ``None`` where there is none, or it is damaged."""
        path = self._path(signature, context)
        if path is None:
            return None
        rtsys.initialize(context)  # all that machine code calls
        with contextlib.suppress(OSError):
            found = path.read_bytes()
            if found[:_CHECK] == _checked(found[_CHECK:]):
                return _rebuild(context, *pickle.loads(found[_CHECK:]))  # noqa: S301  (the folder is ours alone)
        return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Store the code; a full disk is no error."""
        path = self._path(signature, code.target_context)
        if path is None or code.library.has_dynamic_globals:
            return
        data = dumps(_reduce(code))
        draft = path.with_name(f"{path.name}.draft")
        with contextlib.suppress(OSError):
            draft.write_bytes(_checked(data) + data)
            draft.replace(path)

    def _path(self, signature: Any, context: Any) -> Path | None:
        folder = self._folder()
        if folder is None:
            return None
        key = repr((signature, context.codegen().magic_tuple())).encode()
        return folder / f"{self._name}-{hashlib.sha256(key).hexdigest()[:16]}.code"


_CHECK = 32
"""Bytes that `_checked` returns."""


def _checked(data: bytes) -> bytes:
    """Return what tells that ``data`` is whole: power may fail while it is written, or two
    processes write it at once where files cannot be locked."""
    return hashlib.sha256(data).digest()
