"""Frozen builds for matches and their players; the table of time budgets."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.fake_managers import posix, write_program
from scripts.match import builds
from scripts.match.builds import PLAYER, Build, MatchError
from scripts.match.players import Player
from scripts.measure import budgets

# Builds.


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that runs git in a new repository with one commit."""
    if shutil.which("git") is None:
        pytest.skip("no git")
    monkeypatch.setattr(builds, "ROOT", tmp_path)

    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)

    for name in ("engine", "uci"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".gitignore").write_text("*.pyc\n")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    return git


def test_the_working_tree_is_taken_as_it_is(checkout: Callable[..., None], tmp_path: Path) -> None:
    first = builds.tree_of(None)
    assert first == builds.tree_of("HEAD") == builds.tree_of(first)
    index = (tmp_path / ".git" / "index").read_bytes()
    (tmp_path / "engine" / "a.pyc").touch()
    assert builds.tree_of(None) == first
    (tmp_path / "engine" / "new.py").touch()
    second = builds.tree_of(None)
    (tmp_path / "engine" / "a.py").unlink()
    assert len({first, second, builds.tree_of(None)}) == 3
    assert (tmp_path / ".git" / "index").read_bytes() == index
    assert builds.tree_of("HEAD") == first


@pytest.mark.parametrize("name", ["nonsense", "--all", ""])
def test_an_unknown_revision(name: str, checkout: Callable[..., None]) -> None:
    with pytest.raises(MatchError, match="unknown git revision"):
        builds.tree_of(name)


def test_a_revision_that_has_no_engine(checkout: Callable[..., None]) -> None:
    checkout("rm", "-r", "--quiet", "uci")
    checkout("commit", "--quiet", "-m", "two")
    with pytest.raises(MatchError, match="does not contain all of"):
        builds.build("HEAD")


# Players of builds.


def player(move: int) -> str:
    """Return a player that always answers with one move."""
    return f"import sys\nfor line in sys.stdin:\n    print({move}, 17, 5, flush=True)\n"


@pytest.fixture
def installed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """Return the list of installed builds; installing is replaced and takes no time."""
    place, trees = tmp_path_factory.mktemp("builds"), list[str]()

    def install(tree: str, folder: Path) -> None:
        trees.append(tree)
        scripts = builds._scripts(folder)
        scripts.mkdir(parents=True)
        write_program(scripts / "pythagoras", "")
        (scripts / "python").symlink_to(sys.executable)
        builds._mark_ready(folder)

    monkeypatch.setattr(builds, "BUILDS", place)
    monkeypatch.setattr(builds, "_install", install)
    return trees


def answer(made: Build) -> int:
    """Return the move that a build's player makes."""
    playing = Player(made, 1, None)
    try:
        return playing.go()[0]
    finally:
        playing.close()


@posix
def test_every_revision_plays_with_its_own_player(
    checkout: Callable[..., None], tmp_path: Path, installed: list[str]
) -> None:
    old, new = tmp_path / "scripts" / PLAYER, tmp_path / "scripts" / "match" / PLAYER
    new.parent.mkdir(parents=True)
    old.write_text(player(1))
    checkout("add", ".")
    checkout("commit", "--quiet", "-m", "two")
    old.rename(new)
    new.write_text(player(2))
    (tmp_path / "engine" / "a.py").write_text("# edited\n")
    checkout("add", ".")
    checkout("commit", "--quiet", "-m", "three")
    new.write_text("raise ImportError\n")
    assert answer(builds.build("HEAD~1", player=True)) == 1
    assert answer(builds.build("HEAD", player=True)) == 2
    with pytest.raises(MatchError, match="a player has ended"):
        answer(builds.build(None, player=True))
    new.write_text(player(3))
    assert answer(builds.build(None, player=True)) == 3
    assert answer(builds.build("HEAD", player=True)) == 2, "the same build, another player"
    assert len(installed) == 2


@posix
def test_a_build_without_its_player_gets_it(
    checkout: Callable[..., None], tmp_path: Path, installed: list[str]
) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / PLAYER).write_text(player(1))
    assert builds.build(None).player is None
    made = builds.build(None, player=True)
    assert made.player is not None
    made.player.unlink()
    assert answer(builds.build(None, player=True)) == 1
    assert len(installed) == 1


@posix
def test_what_is_older_than_its_player(checkout: Callable[..., None], installed: list[str]) -> None:
    builds.build("HEAD")
    with pytest.raises(MatchError, match=f"HEAD has no {PLAYER}"):
        builds.build("HEAD", player=True)
    with pytest.raises(MatchError, match="the working tree has no "):
        builds.build(None, player=True)


@pytest.mark.parametrize("target", ["arena", "sprt"])
def test_a_fresh_clone_installs_what_matches_need(root: Path, tmp_path: Path, target: str) -> None:
    if shutil.which("make") is None:
        pytest.skip("no make")
    words = ["make", "--dry-run", target, f"VENV={tmp_path / 'venv'}", "BASE=HEAD"]
    said = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout
    assert said.index("pip install") < said.index(f"scripts.match.{target}")


@posix
@pytest.mark.parametrize("target", ["arena", "sprt"])
@pytest.mark.parametrize(("status", "made"), [(0, 0), (3, 0), (1, 2), (2, 2), (130, 2)])
def test_a_match_that_was_capped_is_no_error_of_make(
    root: Path, tmp_path: Path, target: str, status: int, made: int
) -> None:
    if shutil.which("make") is None:
        pytest.skip("no make")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\n[ "$1" != -m ] || exit {status}\n')
    (programs / "pythagoras").touch()
    for path in (*programs.iterdir(), tmp_path / ".installed"):
        path.touch(mode=0o755)
        path.chmod(0o755)
    words = ["make", "--no-print-directory", target, f"VENV={tmp_path}", "BASE=HEAD"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (made, "")
    assert ("Error" in done.stderr) == bool(made)


# Time budgets.


@pytest.mark.parametrize("text", ["60+0.6", "4+0.04", "60", "40/60", "1/2", "0.1+0.1", "40/60+0.5"])
def test_the_flag_does_not_fall(text: str) -> None:
    moves = list(budgets.game(budgets.TimeControl.parse(text), overhead=20, stretch=1, moves=100))
    assert [move.number for move in moves] == list(range(1, 101))
    assert all(0 < move.soft <= move.hard <= max(1, move.clock - 20) for move in moves)


@pytest.mark.parametrize("text", ["", "fast", "40/", "+1", "1+", "40/60/2"])
def test_not_a_time_control(text: str) -> None:
    with pytest.raises(ValueError, match="not a time control"):
        budgets.TimeControl.parse(text)


def test_the_budgets_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert budgets.main(["40/60", "--moves", "12"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["move", "clock", "soft", "hard", "spent", "of", "clock"]
    assert [line.split()[0] for line in lines[3:]] == ["1", "5", "10", "12"]
    assert len({len(line) for line in lines[2:]}) == 1
