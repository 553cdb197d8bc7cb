"""One thing at a time is broken in this process, and only its check reports it."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import uci
from engine.jit.kernel import COMPILED
from engine.user_folders import cache_variable
from helpers.doctor_checks import Patch, again, copied_cache, failures
from helpers.networks import random_net
from helpers.syzygy import FOLDER
from uci.apps.console import own_command
from uci.apps.console.extras import DISTRIBUTION
from uci.apps.doctor import check_machine, check_search
from uci.apps.doctor.check import Check
from uci.apps.doctor.check_files import OURS
from uci.apps.doctor.check_packages import fits, requirements
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import Result
from uci.apps.doctor.run_checks import CHECKS, run_checks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="there is no numba"),
]


def old_python(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "version_info", (3, 10, 4, "final", 0))


def new_python(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "version_info", (3, 99, 0, "final", 0))


def ascii_terminal(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))


def little_memory(patch: Patch, _: Path) -> None:
    patch.setattr(check_machine, "available", lambda: 292)


def open_cache(patch: Patch, folder: Path) -> None:
    copied_cache(patch, folder).parent.chmod(0o777)


def no_cache(patch: Patch, folder: Path) -> None:
    (folder / "pythagoras").write_text("a file where the folder should be")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(folder))


def full_disk(patch: Patch, _: Path) -> None:
    usage = type(shutil.disk_usage("/"))(100 << 30, (100 << 30) - 1000, 1000)
    patch.setattr(shutil, "disk_usage", lambda _: usage)


def numba_settings(patch: Patch, _: Path) -> None:
    patch.setenv("NUMBA_OPT", "0")


def settings_file(patch: Patch, folder: Path) -> None:
    (folder / ".numba_config.yaml").write_text("opt: 0\n")
    patch.chdir(folder)


def changed_file(patch: Patch, folder: Path) -> None:
    """Change a source, so that it differs from pip's record."""
    (folder / "uci").symlink_to(own_command.ROOT / "uci")
    info = folder / f"{DISTRIBUTION.replace('-', '_')}-{uci.__version__}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {DISTRIBUTION}\nVersion: {uci.__version__}\n")
    (info / "RECORD").write_text("uci/__init__.py,sha256=AAAA,3\nuci/none.py,sha256=AAAA,3\n")
    patch.syspath_prepend(folder)


def slow_start(patch: Patch, _: Path) -> None:
    patch.setattr(check_search, "SLOW_START", 0.0)


@pytest.mark.parametrize(
    ("broken", "name", "status", "found"),
    [
        (old_python, "Python", "wrong", "3.10.4"),
        (new_python, "Python", "note", "3.99.0"),
        (changed_file, "files", "wrong", "uci/__init__.py and 1 more"),
        (ascii_terminal, "terminal", "wrong", "ascii"),
        (little_memory, "memory", "wrong", "292 MB"),
        (open_cache, "cache folder", "wrong", "is writable by other users"),
        (no_cache, "cache folder", "wrong", "pythagoras"),
        (full_disk, "cache folder", "wrong", "0.0 GB free"),
        (numba_settings, "settings", "note", "NUMBA_OPT=0"),
        (settings_file, "settings", "note", ".numba_config.yaml"),
        (slow_start, "warm start", "note", "ready"),
    ],
)
def test_one_thing_is_broken(
    broken: Callable[[Patch, Path], None], name: str, status: str, found: str,
    sound: Diagnostics, before: dict[str, Result], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    with monkeypatch.context() as patch:
        broken(patch, tmp_path)
        (check,) = failures(again(sound), before)
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.fix
    if name == "cache folder":
        assert f"set {cache_variable()} to a folder" in check.fix


@pytest.mark.parametrize("package", OURS)
def test_another_package_of_our_name(
    package: str, sound: Diagnostics, before: dict[str, Result], tmp_path: Path, monkeypatch: Patch
) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    (check,) = failures(again(sound), before)
    assert (check.name, check.status) == ("packages", "wrong")
    assert check.found == str(tmp_path / package)


def test_a_check_that_fails_itself(
    sound: Diagnostics, before: dict[str, Result], monkeypatch: Patch
) -> None:
    def fail(_: Diagnostics) -> str:
        raise RuntimeError("a bug")

    broken = Check("memory", "a result", fail)
    checks = [broken if check.name == "memory" else check for check in CHECKS]
    monkeypatch.setattr("uci.apps.doctor.run_checks.CHECKS", checks)
    (check,) = failures(again(sound), before)
    assert (check.name, check.status, check.found) == ("memory", "wrong", "RuntimeError: a bug")


def test_versions_that_are_required() -> None:
    found = requirements()
    for name, version, expected in (
        ("chess", "1.9.4", False), ("chess", "1.11.2", True), ("chess", "1.12.0", False),
        ("numba", "0.59.1", False), ("numba", "0.60.0rc1", True), ("numpy", "1.25.2", False),
    ):  # fmt: skip
        assert fits(version, found[name]) == expected


# Files that options name


def option_files(folder: Path) -> dict[str, tuple[str, str]]:
    """Return values of options, good and bad."""
    (folder / "empty").mkdir()
    (folder / "text").write_text("no book, no network")
    book = folder / "book.bin"
    book.write_bytes(bytes(16))
    from engine.evaluation.network import serialise

    (folder / "net").write_bytes(serialise(random_net(1)))
    return {
        "Book File": (str(book), str(folder / "none")),
        "EvalFile": (str(folder / "net"), str(folder / "text")),
        "Debug Log File": (str(folder / "log"), str(folder / "none" / "log")),
        "SyzygyPath": ("", str(folder / "empty")),
        "Hash": ("64", "much"),
        "Nonsense": ("", "1"),
    }


@pytest.mark.parametrize(
    "name", ["Book File", "EvalFile", "Debug Log File", "SyzygyPath", "Hash", "Nonsense"]
)
def test_files_that_options_name(
    name: str, sound: Diagnostics, before: dict[str, Result], tmp_path: Path
) -> None:
    values = option_files(tmp_path)
    values["SyzygyPath"] = ("<empty>", values["SyzygyPath"][1])  # as chess programs write it
    good = {other: good for other, (good, _) in values.items() if other not in (name, "Nonsense")}
    diagnostics = again(sound)
    diagnostics.options = {**good, name: values[name][1]}
    assert len(list(run_checks(diagnostics))) == len(CHECKS) + len(diagnostics.options)
    (check,) = failures(diagnostics, before)
    assert (check.name, check.status) == (name, "wrong")
    assert check.fix


def test_checksums_of_tables(sound: Diagnostics, before: dict[str, Result], tmp_path: Path) -> None:
    """One changed bit in a block is found."""
    for file in Path(FOLDER).glob("KPvK.rtb?"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    diagnostics = again(sound)
    diagnostics.options = {"SyzygyPath": str(tmp_path)}
    assert not list(failures(diagnostics, before))
    data = bytearray((tmp_path / "KPvK.rtbw").read_bytes())
    data[-100] ^= 1
    (tmp_path / "KPvK.rtbw").write_bytes(data)
    (check,) = failures(diagnostics, before)
    assert (check.name, check.status) == ("SyzygyPath", "wrong")
    assert "wrong checksum: KPvK.rtbw" in check.found
