"""The folder for compiled code: its place, its removal, and its lock."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.processes import result, start

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither modes nor owners")


def make_old(folder: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (then, then))


# The place: a private folder, or none.


def test_the_folder_is_private_and_stays(home: Path) -> None:
    folder = cache.folder()
    assert folder == home / "pythagoras" / cache.digest()
    assert cache.folder() == folder
    if os.name != "nt":
        assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent)} == {0o700}


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_missing_parents_are_made_private(
    umask: int, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "a" / "b"))
    before = os.umask(umask)
    try:
        cache.folder()
    finally:
        os.umask(before)
    assert (home / "a").stat().st_mode & 0o077 == 0


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
@pytest.mark.parametrize("which", ["root", "folder"])
def test_a_folder_that_others_can_write_to_is_refused(mode: int, which: str, home: Path) -> None:
    folder = cache.folder()
    (folder.parent if which == "root" else folder).chmod(mode)
    assert cache.folder() is None


@posix
@pytest.mark.parametrize("which", ["root", "folder"])
def test_a_link_to_a_folder_that_others_can_write_to_is_refused(which: str, home: Path) -> None:
    folder = cache.folder()
    linked = folder.parent if which == "root" else folder
    target = linked.rename(home / "target")
    linked.symlink_to(target)
    assert cache.folder()
    target.chmod(0o777)
    assert cache.folder() is None


@posix
def test_a_folder_of_another_user_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.folder()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.folder() is None


@posix
def test_nothing_is_made_where_anybody_can_rename_it(home: Path) -> None:
    home.chmod(0o777)
    assert cache.folder() is None
    assert not list(home.iterdir())
    home.chmod(0o1777)  # as /tmp is
    assert cache.folder()


@posix
def test_a_read_only_home_is_no_obstacle(home: Path) -> None:
    home.chmod(0o500)
    if os.access(home, os.W_OK):
        pytest.skip("root can write everywhere")
    assert cache.folder() is None


def test_an_unusable_home_is_no_obstacle(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(home / "file" / "cache"))
    assert cache.folder() is None


@posix
def test_a_relative_cache_directory_is_ignored(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    assert home in cache.folder().parents
    monkeypatch.setenv("HOME", "home")
    assert cache.folder() is None


# Pruning.


def test_what_is_unused_for_a_month_goes(home: Path) -> None:
    folder = cache.folder()
    ages = {"0" * 24: 29.9, "1" * 24: 30.1, "2" * 24: 400.0}
    for name, days in ages.items():
        (folder.parent / name / "engine").mkdir(parents=True)
        (folder.parent / name / "used").touch()
        make_old(folder.parent / name, days)
    for name in ("3" * 24, "kept"):
        (folder.parent / name).mkdir()
        make_old(folder.parent / name, 31)
    cache.prune()
    left = {path.name for path in folder.parent.iterdir() if path.is_dir()}
    assert left == {folder.name, "0" * 24, "kept"}


def test_every_use_counts(home: Path) -> None:
    folder = cache.folder()
    make_old(folder, 31)
    assert cache.folder() == folder
    cache.prune()
    assert folder.exists()


def test_a_clock_that_jumps_while_we_start(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that jumps by years after our folder was marked as used does not remove it."""
    now = time.time()
    monkeypatch.setattr(cache.time, "time", lambda: now + 10 * 365 * 24 * 3600)
    assert cache.folder().is_dir()


def test_starting_prunes(home: Path) -> None:
    old = cache.folder().parent / ("0" * 24)
    old.mkdir()
    make_old(old, 31)
    cache.folder()
    assert not old.exists()


@posix
def test_pruning_follows_no_links(home: Path, tmp_path: Path) -> None:
    folder = cache.folder()
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "used").touch()
    make_old(precious, 31)
    (folder.parent / ("0" * 24)).symlink_to(precious)
    old = folder.parent / ("1" * 24)
    old.mkdir()
    (old / "link").symlink_to(precious)
    make_old(old, 31)
    cache.prune()
    assert (precious / "used").exists()
    assert (folder.parent / ("0" * 24)).exists()
    assert not old.exists()


def test_pruning_spares_a_folder_in_which_somebody_compiles(root: Path, home: Path) -> None:
    folder = cache.folder()
    with holder(root, folder):
        make_old(folder, 31)
        cache.prune()
        assert folder.exists()
    cache.prune()
    assert not folder.exists()


# The lock.


@contextlib.contextmanager
def holder(root: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield another process, which compiles into ``folder`` forever."""
    code = f"""if True:
        import pathlib, time
        from engine.jit import cache
        with cache.compiling(pathlib.Path({str(folder)!r})):
            print("compiling", flush=True)
            time.sleep(600)
    """
    process = start(root, code, dict(os.environ))
    try:
        assert process.stdout
        assert process.stdout.readline() == "compiling\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_others_wait_and_a_killed_compiler_leaves_no_lock(root: Path, home: Path) -> None:
    folder = cache.folder()
    code = f"""if True:
        import pathlib
        from engine.jit import cache
        print("waiting", flush=True)
        with cache.compiling(pathlib.Path({str(folder)!r})):
            print("done")
    """
    with holder(root, folder) as compiler:
        waiting = start(root, code, dict(os.environ))
        assert waiting.stdout
        assert waiting.stdout.readline() == "waiting\n"
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.5)
        compiler.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        assert result(waiting) == "done"
    assert not cache.is_complete(folder, ["a"])
    cache.mark_complete(folder, ["b", "a"])
    cache.mark_complete(folder, ["c"])
    assert cache.is_complete(folder, ["a", "c"])
    assert not cache.is_complete(folder, ["a", "d"])


def test_without_locks_everybody_compiles(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError("no locks here")

    name, function = ("msvcrt", "locking") if os.name == "nt" else ("fcntl", "flock")
    monkeypatch.setattr(sys.modules[name], function, unsupported)
    folder = cache.folder()
    assert folder.parent == home / "pythagoras"
    with cache.compiling(folder):
        pass
    with cache.compiling(folder / "missing"):
        pass


@posix
def test_the_windows_lock(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Windows branch works on a stand-in for Windows' locking."""
    import fcntl

    def locking(descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (7, 1)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError from error

    stand_in = types.ModuleType("msvcrt")
    vars(stand_in).update(LK_NBLCK=7, locking=locking)
    monkeypatch.setitem(sys.modules, "msvcrt", stand_in)
    monkeypatch.setattr(sys, "platform", "win32")
    spec = util.spec_from_file_location(
        "engine.jit.windows_cache", root / "engine" / "jit" / "cache.py"
    )
    assert spec
    assert spec.loader
    windows = util.module_from_spec(spec)
    spec.loader.exec_module(windows)
    folder = windows.folder()
    assert folder == home / "pythagoras" / windows.digest()
    make_old(folder, 31)
    with windows.compiling(folder):
        windows.prune()
        assert folder.exists()
    windows.prune()
    assert not folder.exists()
