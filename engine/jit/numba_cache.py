"""numba's public cache, for machine code that `engine.jit.stored_code` cannot keep.

numba keeps code beside the source that it comes from, and does not notice an edit in another
file. So a kernel is said to come from a copy of its source in our own folder, which has its name
from all sources: see `engine.jit.cache`.
"""

import linecache
from pathlib import Path
from typing import Any


def use_folder(folder: Path, dispatcher: Any) -> None:
    """Have numba keep the code of ``dispatcher`` in ``folder``, where that can be written to."""
    function = dispatcher.py_func
    copy = folder / "sources" / f"{function.__module__}.py"
    if not copy.exists():
        lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
        draft = copy.with_suffix(".draft")
        copy.parent.mkdir(exist_ok=True)
        draft.write_text("".join(lines), encoding="utf-8")
        draft.replace(copy)
    function.__code__ = function.__code__.replace(co_filename=str(copy))
    dispatcher.enable_caching()
