"""A home folder that cannot be used: the engine reports why, plays, and leaves no file there."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from helpers.faults import (
    OBEYING,
    bites,
    namespace,
    need,
    plays,
    run_in,
    strings,
    system_python,
    whole_engine,
)

TOLD = "info string "

STRANGER, OTHER = 64123, 64124
"""User ids that no system uses."""


@contextmanager
def read_only(home: Path) -> Iterator[tuple[list[str], Path, str]]:
    mount = 'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"'
    with namespace(mount, home) as before:
        yield before, home, "Read-only file system"


@contextmanager
def without_rights(home: Path) -> Iterator[tuple[list[str], Path, str]]:
    need("setpriv")
    home.chmod(0o500)
    yield OBEYING, home, "Permission denied"
    home.chmod(0o700)


@contextmanager
def missing(home: Path) -> Iterator[tuple[list[str], Path, str]]:
    need("setpriv")
    home.chmod(0o500)
    yield OBEYING, home / "nobody" / "home", "Permission denied"
    home.chmod(0o700)


def says_why_and_plays(
    root: Path, home: AbstractContextManager[tuple[list[str], Path, str]], to_the_end: bool
) -> None:
    with home as (before, place, reason):
        bites(before, "touch", place / "file")
        settings = {"HOME": str(place), "XDG_CACHE_HOME": ""}
        with whole_engine(root, *before, **settings) as engine:
            told = plays(engine, "uci", "go movetime 100") or strings(engine.until(TOLD))
            if to_the_end:
                lines = strings(engine.say("perft 3").until("8902"))
                told += [line for line in lines if "leaves" not in line]
                told += plays(engine, "go depth 6")
        (line,) = told
        assert line.endswith(f"because the compiled code cannot be saved: {reason}")
        assert not place.exists() or not list(place.iterdir())


@pytest.mark.external
def test_a_read_only_home(root: Path, tmp_path: Path) -> None:
    says_why_and_plays(root, read_only(tmp_path), to_the_end=False)


@pytest.mark.external
def test_a_home_without_rights(root: Path, tmp_path: Path) -> None:
    says_why_and_plays(root, without_rights(tmp_path), to_the_end=False)


@pytest.mark.external
def test_a_home_that_is_missing(root: Path, tmp_path: Path) -> None:
    says_why_and_plays(root, missing(tmp_path), to_the_end=False)


@pytest.mark.long
@pytest.mark.parametrize("kind", [read_only, without_rights, missing])
def test_such_a_home_until_the_kernels_play(
    kind: Callable[[Path], AbstractContextManager[tuple[list[str], Path, str]]],
    root: Path,
    tmp_path: Path,
) -> None:
    says_why_and_plays(root, kind(tmp_path), to_the_end=True)


@pytest.mark.external
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_home_that_others_may_write_to(mode: int, root: Path, tmp_path: Path) -> None:
    """The cache folder is refused; a plain file of another user there is not touched."""
    cache = tmp_path / ".cache" / "pythagoras"
    cache.mkdir(parents=True)
    cache.chmod(mode)
    theirs = cache / "theirs"
    theirs.write_text("a stranger's")
    settings = {"HOME": str(tmp_path), "XDG_CACHE_HOME": ""}
    with whole_engine(root, **settings) as engine:
        (line,) = plays(engine, "uci", "go movetime 100") or strings(engine.until(TOLD))
    assert line.endswith(f"cannot be saved: {cache} is writable by other users")
    assert [path.name for path in cache.iterdir()] == ["theirs"]
    assert theirs.read_text() == "a stranger's"


@pytest.mark.external
@pytest.mark.parametrize("mode", ["700", "777"])
def test_a_home_of_another_user(mode: str, root: Path) -> None:
    """The engine runs for another user, installed there with the system's own Python."""
    with system_python(root, STRANGER) as (before, place):
        home = place / "home"
        make = f'mkdir "$0" && chown {OTHER} "$0" && chmod {mode} "$0"'
        as_root = before[: before.index("setpriv")]
        run_in(as_root, "sh", "-c", make, home)
        if mode == "777":
            bites(before, "chmod", "700", home)
        else:
            bites(before, "touch", home / "file")
        command = [*before, f"HOME={home}", "XDG_CACHE_HOME=", str(place / "venv/bin/pythagoras")]
        with whole_engine(root, command=command) as engine:
            (line,) = plays(engine, "uci", "go movetime 100") or strings(engine.until(TOLD))
        reason = "Permission denied" if mode == "700" else f"{home} is owned by another user"
        assert line.endswith(f"because the compiled code cannot be saved: {reason}")
        assert not run_in(as_root, "ls", "-A", home)
