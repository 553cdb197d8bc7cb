"""Games played to find faults: what is found in them, and that every sitting adds up."""

import os
import signal
import time
from pathlib import Path

import pytest

from helpers.fake_managers import posix, write_program
from helpers.pgn import pgn
from helpers.timing import PATIENCE
from scripts.match.builds import Build
from scripts.reliability import soak_games
from scripts.reliability.game_batches import Batch, TimeLoss, fisher, read_batches, sittings
from scripts.reliability.soak_games import Ends, judge
from scripts.reliability.stalls import Watchdogs

MATE = "1. f3 e5 2. g4 Qh4#"
SOUND = pgn("A", "B", "0-1", "normal", MATE)
LOST = pgn("A", "B", "0-1", "time forfeit", "1. f3 e5")


@pytest.mark.parametrize(
    ("game", "wrong"),
    [
        (SOUND, ""),
        (LOST, ""),
        (pgn("A", "B", "0-1", "illegal move", "1. f3 e5"), "round 3: illegal move"),
        (pgn("A", "B", "0-1", "abandoned", "1. f3 e5"), "round 3: abandoned"),
        (pgn("A", "B", "1/2-1/2", "", "1. f3 e5"), "round 3: it ended before its end"),
        (pgn("A", "B", "0-1", "", "1. f3 e5 2. g4 Kh4"), "round 3: illegal san: 'Kh4'"),
        (pgn("A", "B", "1/2-1/2", "", "1. Kd1", "8/8/4k3/8/8/8/8/4K3 w - - 0 1"), ""),
    ],
)
def test_what_is_wrong_with_a_game(game: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(game + SOUND)
    first, second = judge(tmp_path / "games.pgn")
    assert first.startswith(wrong)
    assert bool(first) == bool(wrong)
    assert not second


def test_a_game_that_was_stopped_is_none(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(pgn("A", "B", "*", "unterminated", "1. f3 e5") + SOUND)
    assert len(list(judge(tmp_path / "games.pgn"))) == 1
    assert not list(judge(tmp_path / "none.pgn"))


def test_a_loss_on_time_is_heard_of_both_managers(tmp_path: Path) -> None:
    ends = Ends()
    assert ends.hear("Finished game 7 (A vs B): 0-1 {White loses on time}\n")
    assert not ends.hear("Finished game 8 (A vs B): 0-1 {Black mates}\n")
    assert ends.hear("Warning; Illegal PV move\n")
    at = time.time()
    moment = time.strftime("%H:%M:%S", time.localtime(at))
    log = f"[WARN  ] [{moment}.250000] < 1> fastchess --- Engine A loses on time by 31ms\n"
    (tmp_path / "fastchess.log").write_text(log)
    ends.read_log(tmp_path / "fastchess.log")
    (first, heard), (second, logged) = ends.losses
    assert heard.endswith("on time}")
    assert logged == "Engine A loses on time by 31ms"
    assert first == pytest.approx(at, abs=PATIENCE)
    assert second == pytest.approx(int(at) + 0.25)
    assert ends.warnings == ["Warning; Illegal PV move"]


def test_the_exact_test() -> None:
    """Against the hand-counted tea of Fisher's lady: 4 and 3 of 4 cups."""
    assert fisher(4, 4, 0, 4) == pytest.approx(1 / 70)
    assert fisher(3, 4, 1, 4) == pytest.approx(17 / 70)
    assert fisher(0, 5000, 0, 500) == 1
    assert fisher(0, 5000, 2, 500) == pytest.approx(1)
    assert fisher(60, 5000, 0, 500) < 0.01


def test_a_stopped_core_is_a_stall(tmp_path: Path) -> None:
    with Watchdogs(tmp_path) as watchdogs:
        start = time.time()
        victim = watchdogs.running[0]
        while not watchdogs.seen(start, time.time()):  # it takes a moment to start
            os.kill(victim.pid, signal.SIGSTOP)
            time.sleep(0.05)
            os.kill(victim.pid, signal.SIGCONT)
            time.sleep(0.05)
            assert time.time() < start + PATIENCE
        (stall, *_) = watchdogs.seen(start, time.time())
        assert stall.milliseconds >= 5
        assert not watchdogs.seen(0, start - 60)
    assert all(process.poll() is not None for process in watchdogs.running)


def test_sittings_add_up(tmp_path: Path) -> None:
    for number, (sitting, manager, games) in enumerate(
        [("1", "fastchess", 10), ("1", "cutechess-cli", 20), ("2", "fastchess", 5)]
    ):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        loss = TimeLoss("A loses", ["9 ms on core 0"])
        Batch(sitting, "Pythagoras", "abc", manager, 7, games, [loss], []).save(folder)
    rows = list(sittings(read_batches(tmp_path)))
    assert rows == [
        ("1", "Pythagoras", "abc", "7", "10", "20", "2", "0"),
        ("2", "Pythagoras", "abc", "7", "5", "0", "1", "0"),
    ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with fake managers that play one sound game at a time."""
    monkeypatch.setattr(soak_games, "build", lambda revision: Build("key", tmp_path))
    monkeypatch.setattr(soak_games, "commit_of", lambda revision: "abc")
    monkeypatch.setenv("PATH", str(tmp_path))
    code = f"import pathlib\npathlib.Path('games.pgn').write_text({SOUND!r})"
    for manager in soak_games.MANAGERS:
        write_program(tmp_path / manager, code)
    return tmp_path


@posix
def test_it_goes_on_until_there_are_enough_games(
    place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--state", str(place / "state")]
    assert soak_games.main([*words, "--games", "2"]) == 0
    assert soak_games.main([*words, "--games", "4"]) == 0
    batches = read_batches(place / "state")
    assert [batch.manager for batch in batches] == [*soak_games.MANAGERS] * 2
    capfd.readouterr()
    assert soak_games.main([*words, "--report"]) == 0
    assert capfd.readouterr().out.splitlines()[-1].split()[-4:] == ["2", "2", "0", "0"]


@posix
def test_games_of_another_commit_do_not_count(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--state", str(place / "state"), "--games", "2"]
    assert soak_games.main(words) == 0
    monkeypatch.setattr(soak_games, "commit_of", lambda revision: "def")
    assert soak_games.main(words) == 0
    batches = read_batches(place / "state")
    assert [batch.commit for batch in batches] == ["abc", "abc", "def", "def"]


@posix
@pytest.mark.parametrize(
    ("code", "told", "status"),
    [
        ("print('Finished game 1 (A vs B): 0-1 {White loses on time}')", "NO STALL", 1),
        ("print('Warning; Illegal PV move')", "FOUND  Warning; Illegal PV move", 1),
        ("raise SystemExit(3)", "FOUND  fastchess ended with status 3", 1),
    ],
)
def test_what_goes_wrong_is_told(
    code: str, told: str, status: int, place: Path, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(Watchdogs, "seen", lambda *_: [])
    with (place / "fastchess").open("a") as file:
        file.write(f"\n{code}\n")
    words = ["--state", str(place / "state"), "--games", "2"]
    assert soak_games.main(words) == status
    assert told in capfd.readouterr().out


@posix
def test_managers_that_play_nothing_end_it(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for manager in soak_games.MANAGERS:
        write_program(place / manager, "")
    assert soak_games.main(["--state", str(place / "state"), "--games", "2"]) == 2
    assert "3 batches in a row played no game" in capfd.readouterr().err
