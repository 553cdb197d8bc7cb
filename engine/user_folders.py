"""The engine's folders for cache and saved files, where each operating system expects them."""

import os
import sys
from pathlib import Path

_CACHE = {
    "win32": ("LOCALAPPDATA", "AppData/Local"),
    "darwin": ("XDG_CACHE_HOME", "Library/Caches"),
    "": ("XDG_CACHE_HOME", ".cache"),
}
_STATE = {
    "win32": ("LOCALAPPDATA", "AppData/Local"),
    "darwin": ("XDG_STATE_HOME", "Library/Application Support"),
    "": ("XDG_STATE_HOME", ".local/state"),
}
"""The variable that names the folder, and its place in the home directory without it."""


def cache_variable() -> str:
    """Return the name of the environment variable that moves `cache_folder`."""
    return _CACHE.get(sys.platform, _CACHE[""])[0]


def cache_folder() -> Path:
    """Return the folder of files that can be recreated; `RuntimeError` without a home directory."""
    return _ours(*_CACHE.get(sys.platform, _CACHE[""]))


def state_folder(kind: str) -> Path:
    """Return the folder for saved files of a ``kind``; `RuntimeError` without a home directory."""
    return _ours(*_STATE.get(sys.platform, _STATE[""])) / kind


def _ours(variable: str, default: str) -> Path:
    base = Path(os.environ.get(variable, ""))
    if not base.is_absolute():  # the standard says to ignore it then
        base = Path.home() / default
    if not base.is_absolute():
        raise RuntimeError("no home directory")
    return base / "pythagoras"
