"""Limited strength: bad but legal moves, fewer at higher levels."""

import random
from collections import Counter
from itertools import pairwise

import chess
import pytest

from engine.search.limits import Budget, Limits
from engine.search.score import MATE
from uci.strength import limited_strength
from uci.strength.limited_strength import (
    ANCHORS,
    ELO_HIGH,
    ELO_LOW,
    FULL_LEVEL,
    TECHNIQUE_LEVEL,
    Strength,
    level_of,
    worth,
)

LINES = [("best", 16), ("good", 8), ("poor", -24), ("bad", -107), ("awful", -360)]


def at(level: float) -> Strength:
    return Strength(level)


def test_full_strength_by_default() -> None:
    assert Strength.from_options(limit=False, elo=ELO_LOW, skill=FULL_LEVEL) is None


def test_elo_overrides_skill() -> None:
    assert Strength.from_options(limit=True, elo=ELO_LOW, skill=FULL_LEVEL) == at(level_of(ELO_LOW))
    assert Strength.from_options(limit=True, elo=ELO_HIGH, skill=0) is None
    assert Strength.from_options(limit=False, elo=ELO_HIGH, skill=3) == at(3)


def test_levels_rise_with_elo() -> None:
    levels = [level_of(elo) for elo in range(1000, 3500, 50)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (ANCHORS[0][1], FULL_LEVEL)
    assert ANCHORS[0][0] <= ELO_LOW
    assert ANCHORS[-1] == (ELO_HIGH, FULL_LEVEL)
    for elo, level in ANCHORS:
        assert level_of(elo) == pytest.approx(level)


def test_levels_between_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_strength, "ANCHORS", ((1400.0, 1.0), (2000.0, 9.0), (2600.0, 18.0)))
    expected = {1350: 1, 1400: 1, 1700: 5, 2000: 9, 2300: 13.5, 2600: 18, 2850: 18}
    assert {elo: level_of(elo) for elo in expected} == pytest.approx(expected)


def test_everything_grows_with_the_level() -> None:
    levels = [at(level / 2) for level in range(41)]
    for before, after in pairwise(levels):
        assert before.nodes < after.nodes
        assert before.depth <= after.depth
        assert before.lines >= after.lines >= 1
        assert before.temperature > after.temperature > 0


def test_the_lesser_limit_holds() -> None:
    weak = at(0)
    assert weak.bound(Limits()) == Limits(depth=weak.depth, nodes=weak.nodes, alone=True)
    assert weak.bound(Limits(depth=1, nodes=50)) == Limits(depth=1, nodes=50, alone=True)
    assert weak.bound(Limits(depth=60, infinite=True)).depth == weak.depth


def test_choices_are_lines_and_get_better() -> None:
    rates = []
    for level in (0, 5, 10, 15, 20):
        dice = random.Random(level)
        chosen = Counter(at(level).choose(LINES, dice) for _ in range(2000))
        assert set(chosen) <= {move for move, _ in LINES}
        rates.append(chosen["best"])
    assert rates == sorted(rates)
    assert rates[0] < 1000
    assert rates[-1] > 1850


def test_weak_levels_blunder_and_strong_ones_do_not() -> None:
    dice = random.Random(1)
    weak = Counter(at(0).choose(LINES, dice) for _ in range(2000))
    strong = Counter(at(18).choose(LINES, dice) for _ in range(2000))
    assert weak["bad"] > 100
    assert not strong["poor"] + strong["bad"] + strong["awful"]


@pytest.mark.parametrize("level", range(0, 21, 4))
def test_mates_are_given_and_not_walked_into(level: int) -> None:
    dice = random.Random(level)
    giving = [("queen", 1800), ("mate", MATE - 1), ("table", 20000)]
    losing = [("mated", -MATE + 2), ("down", -1900), ("also mated", -MATE + 4)]
    for _ in range(500):
        assert at(level).choose(giving, dice) == "mate"
        assert at(level).choose(losing, dice) == "down"


def test_technique_against_a_lone_king() -> None:
    weak = at(0)
    for fen in ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "kr6/8/8/8/3K4/8/8/8 b - - 0 1"):
        skilled = weak.in_position(chess.Board(fen))
        assert (skilled.level, skilled.technique, skilled.lines) == (TECHNIQUE_LEVEL, True, 1)
        assert {skilled.choose(LINES[::-1], random.Random(n)) for n in range(20)} == {"best"}
        assert at(12).in_position(chess.Board(fen)).level == 12
    for fen in (
        "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",  # the lone king's move
        "8/8/8/3k4/8/8/p7/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
        chess.STARTING_FEN,
    ):
        assert weak.in_position(chess.Board(fen)) is weak


def test_the_order_of_lines_does_not_matter() -> None:
    assert at(20).choose([("bad", -500), ("good", 500)], random.Random(1)) == "good"


def test_one_line_is_no_choice() -> None:
    for score in (-MATE + 2, -700, 0, 20000, MATE - 1):
        assert at(0).choose([("only", score)], random.Random(1)) == "only"


def test_the_same_dice_choose_the_same() -> None:
    first, second = random.Random(9), random.Random(9)
    assert [at(3).choose(LINES, first) for _ in range(50)] == [
        at(3).choose(LINES, second) for _ in range(50)
    ]


def test_worth_keeps_the_order() -> None:
    scores = [MATE - 1, MATE - 9, 20000, 3000, 1001, 1000, 999, 0, -1, -1500, -20000, -MATE + 8]
    worths = [worth(score) for score in scores]
    assert worths == sorted(set(worths), reverse=True)
    assert worth(MATE - 1) == -worth(-MATE + 1)
    assert worth(20000) + limited_strength.MAX_LOSS * limited_strength.TEMPERATURE < worth(
        MATE - 99
    )


def test_not_instant_and_not_late() -> None:
    dice = random.Random(1)
    for _ in range(100):
        assert 300 <= at(4).pause(Budget(1000, 4000), dice) <= 900
        assert 0 <= at(4).pause(Budget(None, 500), dice) <= 450
    assert at(4).pause(Budget(None, None), dice) == 0
    assert at(4).pause(Budget(1, 1), dice) == 0
