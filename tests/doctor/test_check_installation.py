"""One thing at a time is broken in this process, and only its check reports it."""

import io
import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import uci
from engine.jit.kernel import COMPILED
from engine.user_folders import cache_variable
from helpers.doctor_checks import Patch, failures, own_cache
from uci.apps.console import own_command
from uci.apps.console.extras import DISTRIBUTION
from uci.apps.doctor import check_installation
from uci.apps.doctor.check import REPORT, Check, Result
from uci.apps.doctor.check_installation import CHECKS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="there is no numba"),
]


def new_python(patch: Patch, _: Path) -> None:
    patch.setattr(platform, "python_version_tuple", lambda: ("3", "99", "0rc1"))


def another_python(patch: Patch, _: Path) -> None:
    patch.setattr(platform, "python_implementation", lambda: "PyPy")


def narrow_python(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "maxsize", (1 << 31) - 1)


def changed_file(patch: Patch, folder: Path) -> None:
    """Change a source, so that it differs from pip's record."""
    (folder / "uci").symlink_to(own_command.ROOT / "uci")
    info = folder / f"{DISTRIBUTION.replace('-', '_')}-{uci.__version__}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {DISTRIBUTION}\nVersion: {uci.__version__}\n")
    (info / "RECORD").write_text("uci/__init__.py,sha256=AAAA,3\nuci/none.py,sha256=AAAA,3\n")
    patch.syspath_prepend(folder)


def ascii_terminal(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))


def little_memory(patch: Patch, _: Path) -> None:
    patch.setattr(check_installation, "available", lambda: 292)


def open_cache(patch: Patch, folder: Path) -> None:
    own_cache(patch, folder).parent.chmod(0o777)


def no_cache(patch: Patch, folder: Path) -> None:
    (folder / "pythagoras").write_text("a file where the folder should be")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(folder))


def full_disk(patch: Patch, _: Path) -> None:
    usage = type(shutil.disk_usage("/"))(100 << 30, (100 << 30) - 1000, 1000)
    patch.setattr(shutil, "disk_usage", lambda _: usage)


def numba_settings(patch: Patch, folder: Path) -> None:
    (folder / ".numba_config.yaml").write_text("opt: 0\n")
    patch.chdir(folder)
    patch.setenv("NUMBA_OPT", "0")


@pytest.mark.parametrize(
    ("broken", "name", "status", "found"),
    [
        (new_python, "Python", "note", "CPython"),
        (another_python, "Python", "note", "PyPy"),
        (narrow_python, "Python", "note", "CPython"),
        (changed_file, "files", "wrong", "uci/__init__.py, uci/none.py"),
        (ascii_terminal, "terminal", "wrong", "ascii"),
        (little_memory, "memory", "wrong", "292 MB"),
        (open_cache, "cache folder", "wrong", "is writable by other users"),
        (no_cache, "cache folder", "wrong", "pythagoras"),
        (full_disk, "cache folder", "wrong", "0 MB free"),
        (numba_settings, "settings", "note", "NUMBA_OPT=0, .numba_config.yaml"),
    ],
)
def test_one_thing_is_broken(
    broken: Callable[[Patch, Path], None], name: str, status: str, found: str,
    before: dict[str, Result], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    with monkeypatch.context() as patch:
        broken(patch, tmp_path)
        (result,) = failures((check.run() for check in CHECKS), before)
    assert (result.name, result.status) == (name, status)
    assert found in result.found
    assert result.fix
    if name == "cache folder":
        assert f"set {cache_variable()} to a folder" in result.fix


def test_a_check_that_fails_itself(tmp_path: Path) -> None:
    result = Check("memory", "a result", REPORT, (tmp_path / "none").read_text).run()
    found = f"No such file or directory: {tmp_path / 'none'}"
    assert result == Result("memory", "wrong", found, "a result", REPORT)
