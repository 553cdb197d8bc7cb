"""Fake tournament managers and engines on the PATH, and builds that take no time."""

import os
import stat
import sys
from pathlib import Path
from types import ModuleType

import pytest

from helpers.client import COMMAND
from helpers.required import is_required
from scripts.match.builds import PLAYER, ROOT, Build
from scripts.match.runner import find_engine

CHECKOUT = Build("key", COMMAND, ROOT / "scripts" / "match" / PLAYER)
"""This checkout, in place of a build and with its player."""

posix = pytest.mark.skipif(os.name == "nt", reason="fake programs are scripts with a shebang")


def write_program(path: Path, code: str) -> Path:
    """Write a program that runs Python ``code``; return its path."""
    path.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def use_fake_managers(script: ModuleType, place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make ``script`` work in ``place``, with one opening, no real builds and an empty PATH."""
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    monkeypatch.setattr(script, "build", lambda revision: Build(revision or "tree", place))
    monkeypatch.setenv("PATH", str(place / "bin"))
    (place / "bin").mkdir()
    (place / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    return place


def install_program(place: Path, name: str, code: str) -> None:
    """Put a program of this name on the PATH."""
    write_program(place / "bin" / name, f"import pathlib, sys, time\n{code}")


def with_real_engine(
    script: ModuleType, place: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Make ``script`` play in ``place`` with the checkout's engine; return a file of openings."""
    code = f"import runpy, sys\nsys.path.insert(0, {str(root)!r})\n"
    code += "runpy.run_module('uci', run_name='__main__')\n"
    command = write_program(place / "engine", code)
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    monkeypatch.setattr(script, "build", lambda revision: Build(revision or "tree", command))
    book = place / "book.epd"
    book.write_text("4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1\n3qk3/8/8/8/8/8/8/3QK3 w - - 0 1\n")
    return book


def needs(*programs: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test if one of ``programs`` is not installed.

    With a variable such as PYTHAGORAS_REQUIRE_FASTCHESS the test fails instead.
    """
    missing = [name for name in programs if find_engine(name) is None]
    required = any(map(is_required, missing))
    return pytest.mark.skipif(bool(missing) and not required, reason=f"no {' and '.join(missing)}")
