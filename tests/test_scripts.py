"""What the matches are played with: frozen builds; and the table of budgets."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import budgets, builds
from scripts.builds import Trouble

# Builds.


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A repository with a commit; the fixture is its git."""
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
    with pytest.raises(Trouble, match="git knows no revision"):
        builds.tree_of(name)


def test_a_revision_that_has_no_engine(checkout: Callable[..., None]) -> None:
    checkout("rm", "-r", "--quiet", "uci")
    checkout("commit", "--quiet", "-m", "two")
    with pytest.raises(Trouble, match="has not all of"):
        builds.build("HEAD")


# The budgets.


@pytest.mark.parametrize("text", ["60+0.6", "4+0.04", "60", "40/60", "1/2", "0.1+0.1", "40/60+0.5"])
def test_the_flag_does_not_fall(text: str) -> None:
    moves = list(budgets.game(budgets.Control.parse(text), overhead=20, stretch=1, moves=100))
    assert [move.number for move in moves] == list(range(1, 101))
    assert all(0 < move.soft <= move.hard <= max(1, move.clock - 20) for move in moves)


@pytest.mark.parametrize("text", ["", "fast", "40/", "+1", "1+", "40/60/2"])
def test_not_a_time_control(text: str) -> None:
    with pytest.raises(ValueError, match="not a time control"):
        budgets.Control.parse(text)


def test_the_budgets_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert budgets.main(["40/60", "--moves", "12"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["move", "clock", "soft", "hard", "spent", "of", "clock"]
    assert [line.split()[0] for line in lines[3:]] == ["1", "5", "10", "12"]
    assert len({len(line) for line in lines[2:]}) == 1
