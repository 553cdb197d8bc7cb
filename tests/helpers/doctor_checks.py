"""The doctor's results while one thing is broken, compared with those before."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.jit import cache
from uci.apps.doctor.diagnostics import Diagnostics, ProbeResults
from uci.apps.doctor.result import Result
from uci.apps.doctor.run_checks import run_checks

Patch = pytest.MonkeyPatch


def failures(diagnostics: Diagnostics, before: dict[str, Result]) -> Iterator[Result]:
    """Yield the failed results and notes that were absent while nothing was broken."""
    for check in run_checks(diagnostics):
        was = before.get(check.name)
        if check.status in ("wrong", "note") and (was is None or was.status != check.status):
            yield check


def again(sound: Diagnostics, **steps: object) -> Diagnostics:
    """Return the same diagnostics with the results of some steps of the probe replaced."""
    diagnostics = Diagnostics({})
    diagnostics.probe = ProbeResults({**sound.probe.steps, **steps}, "")
    diagnostics.start_up = sound.start_up
    return diagnostics


def copied_cache(patch: Patch, folder: Path) -> Path:
    """Copy the compiled code into another cache directory, and use that; return its folder."""
    ours = cache.open_folder()
    home = folder / "home"
    home.mkdir(mode=0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(home))
    copy = cache.open_folder()
    shutil.copytree(ours, copy, dirs_exist_ok=True)
    return copy
