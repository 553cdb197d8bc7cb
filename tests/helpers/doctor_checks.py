"""The doctor's results while one thing is broken, compared with those before."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.jit import cache
from uci.apps.doctor.check import Result

Patch = pytest.MonkeyPatch

TIMES = {"speed", "warm start"}
"""Checks that note a busy machine."""


def failures(results: Iterable[Result], before: dict[str, Result]) -> list[Result]:
    """Return the failed results and notes that were absent while nothing was broken."""
    return [
        found
        for found in results
        if found.status == "wrong" or (found.status == "note" and found.name not in TIMES)
        if found.status != before[found.name].status
    ]


def own_cache(patch: Patch, folder: Path, copied: bool = False) -> Path:
    """Use another cache directory, empty or a copy; return the folder of compiled code."""
    ours = cache.open_folder()
    home = folder / "home"
    home.mkdir(mode=0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(home))
    other = cache.open_folder()
    if copied:
        shutil.copytree(ours, other, dirs_exist_ok=True)
    return other
