"""Uses numba's public cache where `engine.jit.stored_code` cannot be used.

numba keeps code beside its source, and does not notice an edit in another file. So each kernel's
source is copied to our own folder, which is named after all sources (see `engine.jit.cache`), and
the kernel is made to look as if it came from there.
"""

import linecache
from pathlib import Path
from typing import Any

from engine.jit import cache


def use_folder(folder: Path, dispatcher: Any) -> None:
    """Make numba keep the code of ``dispatcher`` in ``folder``. Raises `OSError`."""
    function = dispatcher.py_func
    copy = folder / "sources" / f"{function.__module__}.py"
    if not copy.exists():
        lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
        copy.parent.mkdir(exist_ok=True)
        cache.write(copy, "".join(lines).encode())
    function.__code__ = function.__code__.replace(co_filename=str(copy))
    dispatcher.enable_caching()
