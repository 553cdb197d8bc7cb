"""What the doctor finds, as before but for what is broken, and which of its checks tell of that."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.jit import cache
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings, Probed
from uci.apps.doctor.run_checks import examine

Patch = pytest.MonkeyPatch


def told(findings: Findings, before: dict[str, Check]) -> Iterator[Check]:
    """Yield what is wrong or noted, and was not while nothing was broken."""
    for check in examine(findings):
        was = before.get(check.name)
        if check.status in ("wrong", "note") and (was is None or was.status != check.status):
            yield check


def again(sound: Findings, **steps: object) -> Findings:
    """Return findings as found before, but for what some steps of the probe told."""
    findings = Findings({})
    findings.probe = Probed({**sound.probe.steps, **steps}, "")
    findings.start = sound.start
    return findings


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
