"""Code shared by the scripts that start a tournament manager."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from helpers.fake_managers import install_program, posix, use_fake_managers
from scripts.match import ladder, sprt
from scripts.match.exit_status import ERROR


@posix
@pytest.mark.parametrize("lacking", ["not on the PATH", "no openings"])
@pytest.mark.parametrize(
    ("script", "manager", "words"),
    [(sprt, "fastchess", ["--base", "HEAD"]), (ladder, "cutechess-cli", [])],
)
def test_what_is_missing_is_said_in_a_line(
    script: ModuleType, manager: str, words: Sequence[str], lacking: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    place = use_fake_managers(script, tmp_path, monkeypatch)
    if lacking == "no openings":
        (place / "book.epd").unlink()
        install_program(place, manager, "")
    assert script.main([*words, "--openings", str(place / "book.epd")]) == ERROR
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert lacking in complaint


@pytest.mark.parametrize("games", ["0", "3", "many"])
def test_games_are_played_in_pairs(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ladder.main(["--games", games])
    assert "--games" in capsys.readouterr().err
