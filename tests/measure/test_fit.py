"""The fits recover the parameters from which synthetic games were made."""

import math
import random
from io import StringIO
from pathlib import Path

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.jit.kernel import COMPILED
from helpers.pgn import pgn
from scripts.match.builds import MatchError
from scripts.measure import fit_elo, fit_low_elo, fit_wdl
from uci.strength.limited_strength import ELO_HIGH, LOWEST_LEVEL, level_of

MOVES = {"w": "e4 e5 Nf3 Nc6 Be2 d6", "b": "e5 e4 Nf6 Nc3 Be7 d3"}
COMMENTS = (
    "+0.31/12 0.100s", "-0.25/11 0.1s", "book",
    "+M5/9 0.1s", "+99.00/8 0.1s", "-1.50/7 0.1s, Black resigns",
)  # fmt: skip


def game(moves: str, result: str = "1-0", ending: str = "normal") -> str:
    return pgn("A", "B", result, ending, moves)


def commented(side: str, result: str = "1-0") -> str:
    """Return a game that ``side`` begins."""
    moves = zip(MOVES[side].split(), COMMENTS, strict=True)
    text = " ".join(f"{move} {{{comment}}}" for move, comment in moves)
    return pgn("A", "B", result, "normal", text, chess.STARTING_FEN.replace(" w ", f" {side} "))


def sampled(pgn: str, name: str | None = None, skip: int = 0) -> list[tuple[float, int]]:
    found = fit_wdl.samples(StringIO(pgn), name, skip=skip, most=1000)
    return [(round(score), result) for score, result in found]


def test_samples_are_the_movers() -> None:
    assert sampled(commented("w")) == [(31, 1), (-25, -1), (-150, -1)]
    assert sampled(commented("b", "0-1")) == [(31, 1), (-25, -1), (-150, -1)]
    assert sampled(commented("w", "1/2-1/2")) == [(31, 0), (-25, 0), (-150, 0)]
    assert sampled(commented("w"), name="B") == [(-25, -1), (-150, -1)]
    assert sampled(commented("b"), name="B") == [(31, -1)]
    assert sampled(commented("w"), skip=2) == [(-150, -1)]
    assert sampled(commented("w") * 2) == 2 * sampled(commented("w"))


def test_games_that_tell_nothing() -> None:
    assert not sampled(game("1. e4 {+0.31/12 0.1s}", result="*"))
    assert not sampled(game("1. e4 {+0.31/12 0.1s}", ending="time forfeit"))
    assert not sampled(game("1. e4 e5 2. Nf3 {a comment}"))
    assert not sampled("")


def synthetic(
    number: int, half_won: float, slope: float
) -> tuple[fit_wdl.Floats, NDArray[np.int64]]:
    dice = np.random.default_rng(1)
    scores = dice.normal(0, 250, number)
    win, draw, _ = fit_wdl.chances(scores, half_won, slope)
    drawn = dice.random(number)
    results = np.where(drawn < win, 1, np.where(drawn < win + draw, 0, -1)).astype(np.int64)
    return scores, results


@pytest.mark.parametrize(("half_won", "slope"), [(150, 75), (280, 40), (60, 130)])
def test_wdl_finds_the_constants(half_won: float, slope: float) -> None:
    scores, results = synthetic(20000, half_won, slope)
    found = fit_wdl.fit(scores, results)
    assert abs(found.half_won - half_won) < 4 * found.errors[0] < 20
    assert abs(found.slope - slope) < 4 * found.errors[1] < 20
    # The greatest likelihood: no neighbour has more.
    for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        chances = fit_wdl.chances(scores, found.half_won + a, found.slope + b)
        likelihood = np.log(chances[1 - results, np.arange(len(scores))]).mean()
        assert likelihood < found.likelihood


def test_wdl_model_is_that_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    wdl = pytest.importorskip("uci.strength.wdl")
    monkeypatch.setattr(wdl, "HALF_WON", 130.0)
    monkeypatch.setattr(wdl, "SLOPE", 60.0)
    for score in (-700, -50, 0, 130, 400):
        expected = 1000 * fit_wdl.chances(np.array([float(score)]), 130.0, 60.0)[:, 0]
        assert wdl.wdl(score) == pytest.approx(expected, abs=1.01)


def test_wdl_needs_games() -> None:
    with pytest.raises(ValueError, match="too few"):
        fit_wdl.fit(np.zeros(0), np.zeros(0, np.int64))
    with pytest.raises(ValueError, match="too few"):
        fit_wdl.fit(np.ones(500), np.ones(500, np.int64))


def test_wdl_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, results = synthetic(3000, 150, 75)
    text = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
    path = tmp_path / "games.pgn"
    path.write_text(
        "".join(
            game(f"1. e4 {{{score / 100:+.2f}/9 0.1s}}", result=text[int(result)])
            for score, result in zip(scores, results, strict=True)
        )
    )
    assert fit_wdl.main([str(path), "--skip", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    constants = dict(line.split("  #")[0].split(" = ") for line in lines[-2:])
    assert float(constants["HALF_WON"]) == pytest.approx(150, abs=15)
    assert float(constants["SLOPE"]) == pytest.approx(75, abs=15)
    assert fit_wdl.main([str(tmp_path / "missing.pgn")]) == 2


def match(nominal: int, truth: float, number: int = 4000) -> fit_elo.Match:
    """Return games of a level called ``nominal`` Elo that plays at ``truth``, without draws."""
    dice = random.Random(nominal)
    expected = 1 / (1 + 10 ** ((nominal - truth) / 400))
    points = tuple(float(dice.random() < expected) for _ in range(number))
    return fit_elo.Match(nominal, level_of(nominal), points)


def test_elo_finds_the_strengths() -> None:
    truths = {1400: 1550, 1800: 1750, 2200: 2100, 2600: 2700}
    anchors = fit_elo.fit([match(nominal, truth) for nominal, truth in truths.items()])
    for (strength, level), (nominal, truth) in zip(anchors, truths.items(), strict=True):
        assert strength == pytest.approx(truth, abs=35)
        assert level == pytest.approx(level_of(nominal), abs=0.01)


def test_elo_anchors_rise() -> None:
    truths = {1400: 1600, 1800: 1500, 2400: 2000}
    matches = [match(nominal, truth) for nominal, truth in truths.items()]
    anchors = fit_elo.fit(matches)
    assert len(anchors) == 2
    assert anchors == sorted(anchors)
    assert level_of(1400) < anchors[0][1] < level_of(1800)
    with pytest.raises(MatchError):
        fit_elo.fit(matches[:2])


def test_elo_of_a_clean_score_is_finite() -> None:
    for points in ((1.0,) * 20, (0.0,) * 20):
        one = fit_elo.Match(2000, 8.0, points)
        assert math.isfinite(one.measured)
        assert one.weight > 0
        (row,) = fit_elo.table([one, fit_elo.Match(2400, 14.0, ())])
        assert len(row) == len(fit_elo.HEADER)


def test_elo_counts_the_games_played(tmp_path: Path) -> None:
    assert fit_elo.points(tmp_path, 1500) == ()
    text = ""
    for white, black, result, ending in (
        ("Pythagoras", "stockfish", "1-0", "normal"),
        ("stockfish", "Pythagoras", "1-0", "adjudication"),
        ("Pythagoras", "stockfish", "1/2-1/2", "normal"),
        ("Pythagoras", "stockfish", "*", "unterminated"),
        ("Pythagoras", "stockfish", "0-1", "time forfeit"),
    ):
        text += pgn(white, black, result, ending, "1. e4")
    (tmp_path / "1500.pgn").write_text(text)
    assert fit_elo.points(tmp_path, 1500) == (1.0, 0.0, 0.5)


def test_elo_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_elo, "find_manager", lambda name: name)
    suite = tmp_path / "openings.epd"
    suite.touch()
    options = fit_elo._options(["--openings", str(suite), "--games", "20", "--opponent", "sf"])
    assert options.elos == [1400, 1800, 2200, 2600]
    words = fit_elo.command(options, "us", 1800, played=5)
    assert words[0] == "fastchess"
    assert words[words.index("-rounds") + 1] == "8"
    assert words[words.index("-each") :].count("option.UCI_Elo=1800") == 1
    assert "file=1800.pgn" in words
    for wrong in ("1000", f"1400,{ELO_HIGH + 1}", "many", ""):
        with pytest.raises(SystemExit):
            fit_elo._options(["--elos", wrong])


def test_low_elo_adds_up() -> None:
    quarter, none = (0.0, 0.5, 0.0, 0.5) * 50, (1.0,) * 99
    matches = [
        fit_low_elo.Match(3.2, 1.0, tuple(1 - point for point in quarter)),
        fit_low_elo.Match(1.0, -2.0, quarter),
        fit_low_elo.Match(-2.0, None, none),
    ]
    assert matches[0].difference == pytest.approx(190, abs=2)
    found = [*fit_low_elo.anchors(matches, 1350)]
    assert found == [(1350, 3.2), (pytest.approx(1160, abs=2), 1.0), (1350, -2.0)]
    rows = [*fit_low_elo.table(matches, 1350)]
    assert [len(row) for row in rows] == [len(fit_low_elo.HEADER)] * 3
    assert rows[0][:5] == ("3.2", "1", "200", "100", "75.0 %")
    assert rows[2][1] == "random"


@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_low_elo_plays_both_sides() -> None:
    opening = ["4k3/8/8/8/8/8/8/3QK3 w - - 0 1"]
    match = fit_low_elo.play_match(LOWEST_LEVEL, None, opening, random.Random(1))
    assert match.points == (1.0, 0.5), "random moves do not mate with a queen"


def test_low_elo_command() -> None:
    assert fit_low_elo._options(["--levels=-4,3.2,0"]).levels == [3.2, 0, -4]
    assert fit_low_elo._options(["--openings=a.epd"]).openings == Path("a.epd")
    for wrong in ("-8", "20", "many", ""):
        with pytest.raises(SystemExit):
            fit_low_elo._options([f"--levels={wrong}"])
