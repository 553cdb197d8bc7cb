"""Games played to find faults: the reports of the replay and of the manager's exit."""

from pathlib import Path

import pytest

from helpers.fake_managers import needs, posix, with_real_engine, write_program
from helpers.pgn import pgn
from scripts.match.builds import Build
from scripts.reliability import soak_games
from scripts.reliability.soak_games import replay

MATE = "1. f3 e5 2. g4 Qh4#"
SOUND = pgn("A", "B", "0-1", "normal", MATE)


@pytest.mark.parametrize(
    ("game", "wrong"),
    [
        (SOUND, ""),
        (pgn("A", "B", "0-1", "time forfeit", "1. f3 e5"), "round 3: time forfeit"),
        (pgn("A", "B", "0-1", "illegal move", "1. f3 e5"), "round 3: illegal move"),
        (pgn("A", "B", "0-1", "abandoned", "1. f3 e5"), "round 3: abandoned"),
        (pgn("A", "B", "1/2-1/2", "", "1. f3 e5"), "round 3: the game is not over"),
        (pgn("A", "B", "0-1", "", "1. f3 e5 2. g4 Kh4"), "round 3: illegal san: 'Kh4'"),
        (pgn("A", "B", "1/2-1/2", "", "1. Kd1", "8/8/4k3/8/8/8/8/4K3 w - - 0 1"), ""),
    ],
)
def test_what_is_wrong_with_a_game(game: str, wrong: str, tmp_path: Path) -> None:
    stopped = pgn("A", "B", "*", "unterminated", "1. f3 e5")
    (tmp_path / "games.pgn").write_text(game + stopped + SOUND)
    first, second = replay(tmp_path / "games.pgn")
    assert first.startswith(wrong)
    assert bool(first) == bool(wrong)
    assert not second


@posix
@pytest.mark.parametrize(
    ("code", "told", "status"),
    [
        ("", "1 games in ", 0),
        ("raise SystemExit(3)", "DEFECT fastchess ended with status 3", 1),
        ("pathlib.Path('games.pgn').write_text('')", "no games were finished", 2),
    ],
)
def test_the_end_of_a_match(
    code: str, told: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(soak_games, "build", lambda revision: Build("key", tmp_path))
    monkeypatch.setattr(soak_games, "commit_of", lambda revision: "abcdefghij")
    monkeypatch.setenv("PATH", str(tmp_path))
    played = f"import pathlib\npathlib.Path('games.pgn').write_text({SOUND!r})\n"
    write_program(tmp_path / "fastchess", played + code)
    assert soak_games.main(["--state", str(tmp_path / "state"), "--games", "2"]) == status
    assert told in "".join(capfd.readouterr())


@posix
@needs("fastchess")
@pytest.mark.slow
def test_a_short_match(warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = with_real_engine(soak_games, tmp_path, warm, monkeypatch)
    words = ["--state", str(tmp_path / "state"), "--games", "2", "--tc", "2+0.1"]
    assert soak_games.main([*words, "--openings", str(book)]) == 0
