"""Parameters: constants in play, options and fields of the record when the engine is tuned."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import engine.search.pvs  # noqa: F401  (declares the parameters)
from engine.search.parameters import PARAMETERS, TUNING
from helpers.fake_managers import CHECKOUT
from scripts.match import arena, spsa
from scripts.match.builds import ROOT, MatchError
from scripts.match.spsa import PERTURBATION, Tuning
from uci.protocol.options import OPTIONS, tuning_options

KNIGHT = {"name": "Knight", "default": 300, "low": 200, "high": 400, "step": 10}
QUEEN = {"name": "Queen", "default": 900, "low": 800, "high": 1000, "step": 30}


def talk(*lines: str, tune: bool) -> list[str]:
    """Send lines to an interpreted engine; return its output."""
    said = subprocess.run(
        [sys.executable, "-m", "uci"],
        cwd=ROOT, input="\n".join(lines), capture_output=True, text=True, check=True,
        env={"NUMBA_DISABLE_JIT": "1", "PYTHAGORAS_TUNE": str(int(tune))},
    )  # fmt: skip
    return said.stdout.splitlines()


def nodes(said: list[str]) -> str:
    line = next(line.split() for line in reversed(said) if line.startswith("info depth"))
    return line[line.index("nodes") + 1]


def test_defaults_lie_in_their_ranges() -> None:
    names = [each.name for each in PARAMETERS]
    assert len(names) == len(set(names)) > 10
    for each in PARAMETERS:
        assert each.low <= each.default <= each.high
        assert 0 < each.step <= each.high - each.low


@pytest.mark.slow
def test_places_do_not_depend_on_what_is_imported_first() -> None:
    """Parameters' places do not depend on the order of imports: stored code contains them."""
    code = """
import engine.search.{}, engine.search.pvs
from engine.memory.records import new_record
from engine.search.parameters import set_parameters
from engine.search.thread import THREAD
set_parameters(th := new_record(THREAD), {{}})
print(th.parameters.tolist())
"""
    env = {"NUMBA_DISABLE_JIT": "1", "PYTHAGORAS_TUNE": "1"}
    told = {
        subprocess.run(
            [sys.executable, "-c", code.format(first)],
            cwd=ROOT, env=env, capture_output=True, check=True,
        ).stdout
        for first in ("pvs", "picker", "history")
    }  # fmt: skip
    assert len(told) == 1


def test_nothing_can_be_set_in_play() -> None:
    assert not TUNING
    assert tuning_options() == ()
    said = talk("uci", "setoption name ReverseMargin value 20", tune=False)
    assert sum(line.startswith("option") for line in said) == len(OPTIONS)
    assert said[-1] == "info string unknown option: ReverseMargin"


@pytest.mark.slow
def test_every_parameter_is_an_option_that_works() -> None:
    fen = "position fen r1bqk2r/ppp2ppp/2n2n2/2bpp3/4P3/2PP1N2/PP1NBPPP/R1BQK2R w KQkq - 0 1"
    search = (fen, "go depth 3")
    plain = talk(*search, tune=False)
    tuned = talk("uci", *search, tune=True)
    assert sum(line.startswith("option") for line in tuned) == len(OPTIONS) + len(PARAMETERS)
    assert nodes(tuned) == nodes(plain)
    changed = talk("setoption name ReverseMargin value 8", *search, tune=True)
    assert nodes(changed) != nodes(plain)
    again = talk("setoption name ReverseMargin value 8", "ucinewgame", *search, tune=True)
    assert nodes(again) == nodes(changed)


def test_neighbours_lie_on_both_sides() -> None:
    tuning = Tuning([KNIGHT, QUEEN], 100, 1)
    signs = set()
    for number in range(100):
        above, below, gradient = tuning.perturb(number)
        for each in (KNIGHT, QUEEN):
            name, value = each["name"], tuning.values[each["name"]]
            shift = above[name] - value
            assert abs(value - below[name] - shift) <= 1
            reach = PERTURBATION * each["step"]
            assert reach - 1 <= abs(shift) <= 1.6 * reach + 1
            assert shift * gradient[name] > 0
        signs.add((above["Knight"] > 300, above["Queen"] > 900))
    assert len(signs) == 4
    assert tuning.perturb(7) == tuning.perturb(7)


def test_it_finds_the_best_values() -> None:
    """SPSA finds the best values in a model: the nearer side wins, at 330 for a knight and a queen
    beyond its range."""
    tuning = Tuning([KNIGHT, QUEEN], 4000, 1)

    def merit(values: dict[str, int]) -> float:
        return -abs(values["Knight"] - 330) / 10 - abs(values["Queen"] - 1100) / 30

    for number in range(4000):
        above, below, gradient = tuning.perturb(number)
        tuning.update(gradient, 2 if merit(above) > merit(below) else -2)
    assert tuning.values["Knight"] == pytest.approx(330, abs=10)
    assert tuning.values["Queen"] == 1000


def test_a_state_is_kept(tmp_path: Path) -> None:
    tuning, again = (Tuning([KNIGHT], 10, 3, engine="one") for _ in range(2))
    tuning.update(tuning.perturb(0)[2], 2)
    tuning.save(tmp_path / "state")
    again.resume(tmp_path / "state")
    assert vars(again) == vars(tuning)
    (tmp_path / "state").write_text("{}")
    with pytest.raises(MatchError, match="not a tuning state"):
        again.resume(tmp_path / "state")


@pytest.mark.parametrize(
    "other",
    [
        Tuning([QUEEN], 10, 3, engine="one"),
        Tuning([KNIGHT], 11, 3, engine="one"),
        Tuning([KNIGHT], 10, 4, engine="one"),
        Tuning([KNIGHT], 10, 3, engine="two"),
    ],
)
def test_a_state_of_another_tuning_is_refused(other: Tuning, tmp_path: Path) -> None:
    Tuning([KNIGHT], 10, 3, engine="one").save(tmp_path / "state")
    with pytest.raises(MatchError, match="other parameters, engines or options"):
        other.resume(tmp_path / "state")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the checkout's engine play, interpreted."""
    monkeypatch.setattr(spsa, "build", lambda revision, player: CHECKOUT)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHAGORAS_TUNE", "1")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_run_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, book = tmp_path / "state", tmp_path / "book.epd"
    book.write_text("7k/8/5KQ1/8/8/8/8/8 w - -\n")
    words = [str(state), "--openings", str(book), "--pairs", "4", "--only", "NullSurplus"]
    words += ["--concurrency", "1", "--nodes", "20"]
    played: list[Any] = []

    def play(*game: Any) -> float:
        played.append(game)
        if len(played) == 5:
            raise KeyboardInterrupt
        return arena.play(*game)

    monkeypatch.setattr(spsa, "play", play)
    assert spsa.main(words) == 130
    assert json.loads(state.read_text())["done"] == 2
    assert spsa.main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("NullSurplus")
    assert json.loads(state.read_text())["done"] == 4
    assert len(played) == 9
    assert spsa.main([*words, "--nodes", "30"]) == 2
    assert "other parameters, engines or options" in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_an_unknown_parameter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert spsa.main([str(tmp_path / "state"), "--only", "Bishop"]) == 2
    assert capsys.readouterr().err == "spsa: unknown parameter: Bishop\n"
