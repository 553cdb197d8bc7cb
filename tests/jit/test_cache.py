"""The folder for compiled code: its name, its place, its end, and its lock."""

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import types
import zipfile
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.processes import environment, result, run, start
from helpers.tiny_engine import tiny_engine

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither modes nor owners")


def copy_engine(root: Path, to: Path) -> Path:
    shutil.copytree(root / "engine", to / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    return to


def make_old(folder: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (then, then))


# The name: what changes it, and what does not.


@pytest.mark.slow
def test_an_edit_in_any_source_is_noticed(root: Path, tmp_path: Path, home: Path) -> None:
    package = copy_engine(root, tmp_path / "copy")
    code = """
        import pathlib
        from engine.jit import cache
        names, first, lab = set(), cache.digest(), cache.digest(laboratory=True)
        engine = pathlib.Path(cache.__file__).parents[1]
        sources = sorted(engine.rglob("*.py"))
        apart = {*engine.glob("lab/**/*.py")}
        for source in sources:
            content = source.read_bytes()
            source.write_bytes(content + b"#")
            assert (cache.digest() == first) == (source in apart)
            assert cache.digest(laboratory=True) != lab
            names.add(cache.digest())
            source.write_bytes(content)
            assert (cache.digest(), cache.digest(laboratory=True)) == (first, lab)
        (sources[0].parent / "board" / "one_more.py").touch()
        names.add(cache.digest())
        print(len(sources) - len(apart) + 2, len(names | {first}))
    """
    expected, different = run(package, "if True:" + code, environment(home)).split()
    assert int(expected) > 10
    assert different == expected


@pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")
def test_an_edit_in_a_kernel_elsewhere_is_noticed(root: Path, tmp_path: Path, home: Path) -> None:
    """As in tests: the folder's name only tells of the engine's sources."""
    package = tiny_engine(root, tmp_path / "one")
    elsewhere = "from engine.jit.kernel import entry\n\n@entry('i8')\ndef after(x): return x + {}\n"
    for step in (1, 22, 22):  # another length, for Python's own cache
        (package / "elsewhere.py").write_text(elsewhere.format(step))
        found = run(package, "from elsewhere import after; print(after(5))", environment(home))
        assert int(found) == 5 + step
    assert len(list((home / "pythagoras").rglob("*.code"))) == 2


def test_the_name_covers_all_that_playing_loads(root: Path) -> None:
    """Or an edit would go unnoticed, and old machine code be run."""
    code = """if True:
        import sys
        import uci.session.backend
        uci.session.backend.load(print)
        from engine.jit import cache
        for name, module in sys.modules.items():
            if name.startswith("engine."):
                path = module.__file__.replace("\\\\", "/").rsplit("/engine/", 1)[1]
                assert not path.startswith(cache._LABORATORY), path
        print("fine")
    """
    assert run(root, code, dict(os.environ)).endswith("fine")


def test_a_package_inside_a_zip_has_a_name_too(root: Path, tmp_path: Path, home: Path) -> None:
    names = set()
    for edit in ("", "#"):
        with zipfile.ZipFile(tmp_path / "engine.zip", "w") as file:
            for source in (root / "engine").rglob("*.py"):
                content = source.read_text(encoding="utf-8")
                file.writestr(str(source.relative_to(root)), content + edit)
        code = "from engine.jit import cache; print(cache.digest()); cache.folder()"
        names.add(run(tmp_path / "engine.zip", code, environment(home)))
    assert len(names) == 2
    assert names <= {path.name for path in (home / "pythagoras").iterdir()}


def test_settings_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    first = cache.digest()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    assert cache.digest() == first
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    second = cache.digest()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")
    third = cache.digest()
    monkeypatch.setenv("PYTHAGORAS_TUNE", "1")
    assert len({first, second, third, cache.digest()}) == 4


def test_a_file_of_settings_is_part_of_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba reads one where it is started, or its bounds checks would slow all later starts."""
    monkeypatch.chdir(tmp_path)
    names, file = {cache.digest()}, tmp_path / ".numba_config.yaml"
    for content in ("opt: 0", "boundscheck: 1"):
        file.write_text(content)
        names.add(cache.digest())
    assert len(names) == 3
    file.unlink()
    file.mkdir()
    assert cache.digest() in names


@pytest.mark.parametrize("package", ["numba", "numpy", "llvmlite"])
def test_versions_are_part_of_the_name(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, version = cache.digest(), metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: version(name) + "+" * (name == package))
    assert cache.digest() != first


def test_python_and_the_machine_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {cache.digest()}
    monkeypatch.setattr(sys, "version", "3.99")
    names.add(cache.digest())
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    names.add(cache.digest())
    assert len(names) == 3


def test_the_cache_needs_no_numba(root: Path) -> None:
    code = "from engine.jit import cache; cache.digest(); print('numba' in sys.modules)"
    assert run(root, code, dict(os.environ)) == "False"


# The place: private, or none.


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
    """Years lie between the stamp of our folder and the look at it."""
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
    """Another process that is compiling into ``folder``, for ever."""
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
    """The other branch, on a stand-in for Windows' locking."""
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
