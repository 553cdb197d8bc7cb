"""The ladder: the settings of its opponents, the results of its games, and its arithmetic."""

import math
from pathlib import Path

import pytest

from helpers.fake_managers import install_program, needs, posix, use_fake_managers, with_real_engine
from helpers.pgn import pgn
from scripts.match import ladder, runner
from scripts.match.builds import MatchError
from scripts.match.elo import elo, wilson_interval
from scripts.match.pgn import OUR_NAME, Game, read_games


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_fake_managers(ladder, tmp_path, monkeypatch)


def test_games_are_read_from_our_side(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(
        pgn(OUR_NAME, "toga2", "1-0")
        + pgn("toga2", OUR_NAME, "1-0", "time forfeit", "1. e4 {[x]}")
        + pgn("toga2", OUR_NAME, "1/2-1/2", "adjudication")
        + pgn("toga2", OUR_NAME, "0-1", "abandoned")
        + pgn(OUR_NAME, "toga2", "*", "unterminated")
        + pgn("toga2", "glaurung", "1-0")
    )
    assert list(read_games(path)) == [
        Game("toga2", "3", 1.0, "normal"),
        Game("toga2", "3", 0.0, "time forfeit"),
        Game("toga2", "3", 0.5, "adjudication"),
        Game("toga2", "3", 1.0, "abandoned"),
        Game("toga2", "3", None, "unterminated"),
    ]


@pytest.mark.parametrize("ending", ["time forfeit", "illegal move", "abandoned"])
def test_our_defects(ending: str) -> None:
    assert Game("toga2", "1", 0.0, ending).is_defect
    assert not Game("toga2", "1", 1.0, ending).is_defect


def test_a_lost_game_is_no_defect() -> None:
    assert not Game("toga2", "1", 0.0, "adjudication").is_defect
    assert not Game("toga2", "1", 0.0, "normal").is_defect


@pytest.mark.parametrize(
    "points",
    [[1.0] * 4, [0.0] * 50, [0.5] * 3, [1.0, 0.0], [1.0, 0.5, 0.0, 0.5], [1.0] * 30 + [0.0] * 90],
)
def test_the_interval_holds_the_score(points: list[float]) -> None:
    low, high = wilson_interval(points)
    assert 0 <= low < high <= 1
    assert low - 1e-9 <= sum(points) / len(points) <= high + 1e-9
    mirrored = wilson_interval([1 - p for p in points])
    assert (1 - high, 1 - low) == pytest.approx(mirrored)
    assert high - low > math.dist(*zip(wilson_interval(points * 4)))  # narrower with more games


def test_the_interval_of_many_games_is_the_usual_one() -> None:
    points = [1.0] * 2500 + [0.5] * 5000 + [0.0] * 2500
    half = 1.96 * math.sqrt(0.125 / len(points))
    assert wilson_interval(points) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-5)


def test_elo() -> None:
    assert elo(0.5) == 0
    assert elo(0.64) == pytest.approx(100, abs=1)
    assert elo(0.36) == pytest.approx(-elo(0.64))
    assert (elo(0), elo(1)) == (-math.inf, math.inf)


def test_the_table_has_a_line_for_each_opponent() -> None:
    played = [Game("toga2", "1", points, "normal") for points in (1.0, 0.5, 0.0, 0.0, None)]
    (row,) = ladder.table([*played, Game("glaurung", "1", None, "unterminated")])
    assert row[:6] == ("toga2", "4", "1", "1", "2", "37.5 %")
    assert len(row) == len(ladder.HEADER)


def test_opponents_play_as_we_measure() -> None:
    words = {o.name: " ".join(o.manager_arguments("path", "1+1")) for o in ladder.OPPONENTS}
    assert "option.Threads=1" in words["stockfish"]
    assert "option.Number of Threads=1" in words["toga2"]
    assert "option.OwnBook=false" in words["toga2"]
    assert "option.Threads=1" in words["glaurung"]
    assert "option.OwnBook=false" in words["glaurung"]
    assert "arg=--uci" in words["gnuchess"]
    assert "option.OwnBook=false" in words["gnuchess"]
    assert "proto=xboard tc=1+1 arg=-b- arg=-p- arg=-l- arg=-t16384" in words["phalanx"]
    assert all("option.Hash=16" in text for name, text in words.items() if name != "phalanx")


@posix
def test_only_those_installed_play(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner, "ENGINE_PATH", str(place / "bin"))
    install_program(place, "glaurung", "")
    ((opponent, path),) = ladder.find_opponents(["glaurung", "toga2"])
    assert (opponent.name, path) == ("glaurung", str(place / "bin" / "glaurung"))
    assert "toga2 is not installed" in capsys.readouterr().out
    with pytest.raises(MatchError, match="no opponent is installed"):
        ladder.find_opponents(["toga2"])
    with pytest.raises(MatchError, match="unknown opponent: toga3"):
        ladder.find_opponents(["toga3"])


@posix
@pytest.mark.parametrize(("ending", "status"), [("adjudication", 0), ("illegal move", 1)])
def test_a_defect_makes_the_ladder_fail(
    ending: str, status: int, place: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(runner, "ENGINE_PATH", str(place / "bin"))
    install_program(place, "toga2", "")
    text = pgn("toga2", OUR_NAME, "1-0", ending)
    install_program(place, "cutechess-cli", f"pathlib.Path('games.pgn').write_text({text!r})")
    assert ladder.main(["--openings", str(place / "book.epd")]) == status
    assert ("DEFECT  round 3, against toga2" in capfd.readouterr().out) == bool(status)


@posix
def test_the_ladder_goes_on_where_it_was_stopped(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The ladder resumes with the missing openings, and plays none when all are done."""
    monkeypatch.setattr(runner, "ENGINE_PATH", str(place / "bin"))
    install_program(place, "toga2", "")
    fens = [f"4k3/8/8/8/8/8/{pawn}/4K3 w - - 0 1" for pawn in ("P7", "1P6", "2P5")]
    (place / "book.epd").write_text("".join(f"{fen.removesuffix(' 0 1')}\n" for fen in fens))
    code = f"""sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from helpers.pgn import pgn
with open("games.pgn", "a") as games:
    for line in list(open("openings.epd"))[:2]:
        for sides in ("Pythagoras", "toga2"), ("toga2", "Pythagoras"):
            games.write(pgn(*sides, "1-0", fen=line.strip() + " 0 1"))
print("Warning: of the stand-in:", len(list(open("openings.epd"))))
"""
    install_program(place, "cutechess-cli", code)
    words = ["--openings", str(place / "book.epd"), "--games", "6"]
    for left, games in (("3", "4"), ("1", "6"), (None, "6")):
        assert ladder.main(words) == 0
        out = capfd.readouterr().out
        assert ("Warning" in out) == (left is not None)
        assert left is None or f"stand-in: {left}\n" in out
        assert out.splitlines()[-1].split()[:2] == ["toga2", games]


@posix
@pytest.mark.slow
@needs("cutechess-cli", "stockfish")
def test_cutechess_understands_us(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    book = with_real_engine(ladder, tmp_path, root, monkeypatch)
    words = ["--openings", str(book), "--against", "stockfish", "--tc", "1+0.05"]
    assert ladder.main([*words, "--games", "2", "--concurrency", "1"]) == 0
    *_, last = capfd.readouterr().out.splitlines()
    assert last.split()[:2] == ["stockfish", "2"]
