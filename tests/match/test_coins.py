"""Randomised ablation: the random choices, the measured effects, and a run that resumes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from helpers.fake_managers import CHECKOUT
from scripts.match import arena, coins
from scripts.match.builds import MatchError
from scripts.match.coins import Coins, toss

IDEAS = {"NullSurplus": 100, "LateBase": 200, "SeeQuiet": 20}


def test_every_company_of_ideas_plays() -> None:
    names = list(IDEAS)
    had = [toss(names, number, 1) for number in range(200)]
    assert len({tuple(each) for each in had}) == 2 ** len(names)
    assert had == [toss(names, number, 1) for number in range(200)]
    assert had != [toss(names, number, 2) for number in range(200)]


def test_a_good_idea_stands_out() -> None:
    """An idea whose side wins three games of four is found among others without effect."""
    rng = random.Random(1)
    found = Coins(IDEAS, seed=1)
    for number in range(2000):
        good = "LateBase" in toss(list(IDEAS), number, 1)
        first, second = (float(good == (rng.random() < 0.75)) for _ in range(2))
        found.add(number, first, second)
    rows = dict(line.split("=", 1) for line in str(found).splitlines()[1:])
    gains = {name: float(row.split("Elo ")[1].split()[0]) for name, row in rows.items()}
    assert gains["LateBase"] == pytest.approx(191, abs=20)
    assert all(abs(gains[name]) < 20 for name in ("NullSurplus", "SeeQuiet"))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the checkout's engine play, interpreted."""
    monkeypatch.setattr(coins, "build", lambda revision, player: CHECKOUT)
    monkeypatch.setenv("PYTHAGORAS_TUNE", "1")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_run_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, book = tmp_path / "state", tmp_path / "book.epd"
    book.write_text("7k/8/5KQ1/8/8/8/8/8 w - -\n")
    words = [str(state), "NullSurplus=100", "LateBase=200", "--openings", str(book)]
    words += ["--nodes", "20", "--games", "8", "--concurrency", "1"]
    played: list[Any] = []

    def play(*game: Any) -> Any:
        played.append(game)
        if len(played) == 5:
            raise KeyboardInterrupt
        return arena.play(*game)

    monkeypatch.setattr(coins, "play", play)
    assert coins.main(words) == 130
    assert coins.main(words) == 0
    head, *pairs = map(json.loads, state.read_text().splitlines())
    assert head["ideas"] == {"NullSurplus": 100, "LateBase": 200}
    assert [number for number, *_ in pairs] == [0, 1, 2, 3]
    assert len(played) == 9
    assert capsys.readouterr().out.splitlines()[-3] == "8 games"
    assert coins.main([*words, "--seed", "2"]) == 2
    assert "other ideas, engines or options" in capsys.readouterr().err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["Bishop=3"], "unknown parameter: Bishop"),
        (["LateBase=3", "LateBase=4"], "each parameter can be given only once"),
    ],
)
def test_what_is_no_idea(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert coins.main([str(tmp_path / "state"), *words]) == 2
    assert capsys.readouterr().err == f"coins: {why}\n"
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    "ideas", [{"LateBase": 200, "NullSurplus": 100}, {"NullSurplus": 100, "LateBase": 300}]
)
def test_other_ideas_or_the_same_in_another_order(ideas: dict[str, int], tmp_path: Path) -> None:
    """Other ideas, or another order, are refused: games belong to ideas by their places."""
    state, begun = tmp_path / "state", {"NullSurplus": 100, "LateBase": 200}
    coins.resume(state, {"ideas": begun}, Coins(begun, seed=1)).close()
    coins.resume(state, {"ideas": begun}, Coins(begun, seed=1)).close()
    with pytest.raises(MatchError, match="other ideas, engines or options, or another order"):
        coins.resume(state, {"ideas": ideas}, Coins(ideas, seed=1))


@pytest.mark.parametrize("torn", ["", "[", "[1, 0.5, 1.0", "[1, 0.5, 1.0]"])
def test_a_last_line_that_was_broken_off(torn: str, tmp_path: Path) -> None:
    state, facts = tmp_path / "state", {"ideas": IDEAS}
    text = json.dumps(facts) + "\n[0, 0.5, 1.0]\n"
    state.write_text(text + torn)
    found = Coins(IDEAS, seed=1)
    with coins.resume(state, facts, found) as file:
        print("[2, 0.5, 1.0]", file=file)
    assert found.done == {0}
    assert state.read_text() == text + "[2, 0.5, 1.0]\n"


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("text", ["text", "text\n", "[0, 0.5, 1.0]"])
def test_a_file_that_keeps_no_pairs(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text(text)
    assert coins.main([str(tmp_path / "state"), "LateBase=3"]) == 2
    assert "is not a file of pairs of games" in capsys.readouterr().err
    assert (tmp_path / "state").read_text() == text
