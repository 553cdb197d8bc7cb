"""Attacks of other users on the cache, whose files are executed when they are loaded."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.faults import OBEYING, need
from helpers.processes import environment, run
from helpers.tiny_engine import tiny_engine

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither modes nor owners")

STRANGER = 54321
"""A user id without a name."""

Bomber = Callable[[Path], bytes]
"""Returns the content of a code file at a path, which creates the witness when it is loaded."""

compiles = pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")
as_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives away")


class Bomb:
    """An object that runs a command when its pickle is loaded."""

    def __init__(self, witness: Path) -> None:
        self.witness = witness

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.system, (f"touch {self.witness}",)


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield an empty cache directory that other users can reach, unlike pytest's folders."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        home.mkdir()
        home.parent.chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", str(home))
        yield home


@pytest.fixture
def tiny(root: Path, tmp_path: Path, home: Path) -> Callable[[], dict[str, object]]:
    """Return a function that runs a `tiny_engine` and returns its report."""
    package = tiny_engine(root, tmp_path / "one")
    return lambda: json.loads(run(package, "import engine.tiny", environment(home)))


@pytest.fixture
def bomb(tmp_path: Path) -> Bomber:
    """Return a function for the content of a code file, which creates ``witness`` when loaded."""
    from engine.jit.stored_code import _checked

    data = pickle.dumps(Bomb(tmp_path / "witness"))
    pickle.loads(data)  # noqa: S301
    assert (tmp_path / "witness").exists(), "it goes off"
    (tmp_path / "witness").unlink()
    return lambda path: _checked(path, data) + data


def writes_as_a_stranger(path: Path) -> bool:
    """Return whether another user can write in the folder, or to the file, at ``path``."""
    tried = 'if test -d "$0"; then touch "$0/$$"; else echo >> "$0"; fi'
    words = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups"]
    words += ["sh", "-c", tried, str(path)]
    return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


# Files inside the folder.


@compiles
@as_root
@pytest.mark.slow
def test_a_file_that_another_may_write_to_is_not_loaded(
    tmp_path: Path, home: Path, tiny: Callable[[], dict[str, object]], bomb: Bomber
) -> None:
    """Its code is recompiled, and the file replaced; a hard link to it is unchanged."""
    tiny()
    (code,) = (home / "pythagoras").rglob("*.code")
    for way in ("owned", "hard link", "open to the group", "open to all"):
        theirs = tmp_path / way
        theirs.write_bytes(bomb(code))
        theirs.chmod({"open to the group": 0o660, "open to all": 0o666}.get(way, 0o644))
        if way in ("owned", "hard link"):
            os.chown(theirs, STRANGER, STRANGER)
        code.unlink()
        if way == "hard link":
            code.hardlink_to(theirs)
        else:
            theirs.replace(code)
        assert tiny()["compiled"] == 1, way
        assert not (tmp_path / "witness").exists(), way
        assert (code.stat().st_uid, code.stat().st_mode & 0o777) == (os.geteuid(), 0o600)
    assert (tmp_path / "hard link").read_bytes() == bomb(code)
    assert tiny()["compiled"] == 0


@compiles
@pytest.mark.slow
def test_a_file_of_our_own_goes_off(
    tmp_path: Path, home: Path, tiny: Callable[[], dict[str, object]], bomb: Bomber
) -> None:
    """The same file as our own is executed, so others are refused only for their permissions."""
    tiny()
    (code,) = (home / "pythagoras").rglob("*.code")
    code.write_bytes(bomb(code))
    with pytest.raises(AssertionError):
        tiny()
    assert (tmp_path / "witness").exists()


def test_a_draft_is_never_written_through_a_link(home: Path, tmp_path: Path) -> None:
    precious, folder = tmp_path / "precious", cache.folder()
    precious.write_text("mine")
    (folder / "x.code.draft").symlink_to(precious)
    (folder / "y.code.draft").hardlink_to(precious)
    for name in ("x.code", "y.code"):
        cache.write(folder / name, b"code")
        assert cache.read(folder / name) == b"code"
    assert precious.read_text() == "mine"


@as_root
def test_a_list_of_what_is_compiled_is_no_others(home: Path) -> None:
    folder = cache.folder()
    (folder / "complete").write_text("a")
    os.chown(folder / "complete", STRANGER, STRANGER)
    assert not cache.is_complete(folder, ["a"])
    cache.mark_complete(folder, ["b"])
    assert cache.is_complete(folder, ["b"])
    assert not cache.is_complete(folder, ["a"])


# Folders above it.


@as_root
@pytest.mark.parametrize("way", ["anybody's", "a stranger's"])
def test_no_folder_above_can_be_swapped(
    way: str, reached: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder above the cache is refused, at any height, if others could rename it."""
    need("setpriv")
    monkeypatch.setenv("XDG_CACHE_HOME", str(reached / "a" / "b" / "c"))
    assert cache.folder()
    reached.chmod(0o777 if way == "anybody's" else 0o755)
    if way == "a stranger's":
        os.chown(reached, STRANGER, STRANGER)
    assert writes_as_a_stranger(reached)
    assert cache.folder() is None
    reached.chmod(0o1777)  # as /tmp: users can rename only their own files
    assert (cache.folder() is None) == (way == "a stranger's")


def test_a_swap_after_the_check_is_a_stranger_above(home: Path) -> None:
    """The path is checked without links, so a link that appears meanwhile is refused."""
    folder = cache.folder()
    folder.parent.rename(home / "moved")
    folder.parent.symlink_to(home / "moved")
    with pytest.raises(PermissionError, match="is owned by another user"):
        cache._create(folder)


@compiles
@as_root
@pytest.mark.slow
def test_a_folder_swapped_between_check_and_use(
    root: Path,
    tmp_path: Path,
    home: Path,
    tiny: Callable[[], dict[str, object]],
    bomb: Bomber,
) -> None:
    """A user of a group that may write above swaps the folder just after the check, in vain."""
    tiny()
    (code,) = (home / "pythagoras").rglob("*.code")
    theirs = tmp_path / "theirs" / code.parent.name
    theirs.mkdir(parents=True)
    for name, data in (
        (code.name, bomb(code)),
        ("complete", (code.parent / "complete").read_bytes()),
    ):
        (theirs / name).write_bytes(data)
    for path in (theirs.parent, theirs, *theirs.iterdir()):
        os.chown(path, STRANGER, STRANGER)
    home.chmod(0o770)
    before = code.read_bytes()
    swapped = f"""
from pathlib import Path
from engine.jit import cache
folder = cache.open_folder
def swap(name):
    found = folder(name)
    found.parent.rename({str(home / "moved")!r})
    Path({str(theirs.parent)!r}).rename(found.parent)
    return found
cache.open_folder = swap
import engine.tiny
"""
    report = json.loads(run(tmp_path / "one", swapped, environment(home)))
    assert (report["answer"], report["compiled"]) == (42, 1)
    assert (home / "pythagoras" / code.parent.name).stat().st_uid == STRANGER, "it was swapped"
    assert not (tmp_path / "witness").exists()
    assert (home / "moved" / code.parent.name / code.name).read_bytes() == before


# Access control lists, and setgid folders.


@as_root
@pytest.mark.parametrize("which", ["root", "folder"])
def test_a_folder_with_a_list_of_rights_for_another(which: str, reached: Path) -> None:
    need("setfacl", "setpriv")
    folder = cache.folder()
    listed = folder.parent if which == "root" else folder
    folder.parent.chmod(0o711)
    subprocess.run(["setfacl", "-m", f"u:{STRANGER}:rwx", listed], check=True)
    assert writes_as_a_stranger(listed)
    assert cache.folder() is None
    subprocess.run(["setfacl", "-m", f"u:{STRANGER}:r-x", listed], check=True)
    assert not writes_as_a_stranger(listed)
    assert cache.folder() == folder


@as_root
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_list_of_rights_that_new_files_inherit(umask: int, reached: Path) -> None:
    """An inherited access control list admits no other user: our files are private to us."""
    need("setfacl", "setpriv")
    subprocess.run(["setfacl", "-d", "-m", f"u:{STRANGER}:rwx", reached], check=True)
    before = os.umask(umask)
    try:
        (reached / "plain").write_text("")
        folder = cache.folder()
        cache.write(folder / "x.code", b"code")
    finally:
        os.umask(before)
    assert writes_as_a_stranger(reached / "plain"), "it is inherited"
    listed = subprocess.check_output(["getfacl", "-np", folder / "x.code"], text=True)
    assert f"user:{STRANGER}:" in listed
    folder.parent.chmod(0o711)
    folder.chmod(0o711)
    for path in (folder.parent, folder, folder / "x.code"):
        assert not writes_as_a_stranger(path), path
    assert cache.folder() == folder
    assert cache.read(folder / "x.code") == b"code"


@as_root
def test_a_folder_that_passes_on_its_group(home: Path) -> None:
    """Files that inherit the group of a folder grant that group no rights."""
    os.chown(home, -1, STRANGER)
    home.chmod(0o2755)
    folder = cache.folder()
    cache.write(folder / "x.code", b"code")
    assert {path.stat().st_gid for path in (folder, folder / "x.code")} == {STRANGER}
    assert not any(path.stat().st_mode & 0o077 for path in (folder, folder / "x.code"))
    assert cache.read(folder / "x.code") == b"code"
    folder.chmod(0o2770)
    assert cache.folder() is None


def test_rights_bind_even_root(home: Path) -> None:
    """For root, too, nothing is saved if its home is read-only."""
    need("setpriv")
    home.chmod(0o500)
    assert subprocess.run([*OBEYING, "touch", home / "file"], check=False).returncode
    code = "from engine.jit import cache; print(cache.folder())"
    words = [*OBEYING, sys.executable, "-c", code]
    told = subprocess.check_output(words, cwd=Path(cache.__file__).parents[2], text=True)
    assert told == "None\n"
