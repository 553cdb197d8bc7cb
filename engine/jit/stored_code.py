"""A cache of machine code that loads without the compiler. Needs numba's private parts.

numba's own cache takes its folder from the user's settings, and imports the whole compiler before
it loads anything, half the time of a warm start.
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
        """Keep the code of the entry point ``name`` in ``folder()``, called when it is needed."""
        self._name = name
        self._folder = folder

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for ``signature``; ``None`` if there is none, or it is damaged."""
        path = self._path(signature, context)
        if path is None:
            return None
        rtsys.initialize(context)  # the runtime functions that machine code calls
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
    """Return a digest, to detect a damaged file: power may fail during a write, or two processes
    write at once where files cannot be locked."""
    return hashlib.sha256(data).digest()
