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
    LOWEST_LEVEL,
    TECHNIQUE_LEVEL,
    Candidate,
    Strength,
    level_of,
    worth,
)

LINES = [
    Candidate(move, score)
    for move, score in (("best", 16), ("good", 8), ("poor", -24), ("bad", -107), ("awful", -360))
]


def at(level: float) -> Strength:
    return Strength(level)


def test_full_strength_by_default() -> None:
    assert Strength.from_options(limit=False, elo=ELO_LOW, skill=FULL_LEVEL) is None


def test_elo_overrides_skill() -> None:
    assert Strength.from_options(limit=True, elo=ELO_LOW, skill=FULL_LEVEL) == at(level_of(ELO_LOW))
    assert Strength.from_options(limit=True, elo=ELO_HIGH, skill=0) is None
    assert Strength.from_options(limit=False, elo=ELO_HIGH, skill=3) == at(3)


def test_levels_rise_with_elo() -> None:
    levels = [level_of(elo) for elo in range(ELO_LOW, ELO_HIGH, 50)]
    assert levels == sorted({*levels})
    assert level_of(100) == ANCHORS[0][1] == LOWEST_LEVEL
    assert ANCHORS[0][0] <= ELO_LOW
    assert ANCHORS[-1] == (ELO_HIGH, FULL_LEVEL)
    for elo, level in ANCHORS:
        assert level_of(elo) == pytest.approx(level)


def test_levels_between_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_strength, "ANCHORS", ((1400.0, 1.0), (2000.0, 9.0), (2600.0, 18.0)))
    expected = {1350: 1, 1400: 1, 1700: 5, 2000: 9, 2300: 13.5, 2600: 18, 2850: 18}
    assert {elo: level_of(elo) for elo in expected} == pytest.approx(expected)


def test_everything_grows_with_the_level() -> None:
    levels = [at(level / 2) for level in range(2 * LOWEST_LEVEL, 2 * FULL_LEVEL + 1)]
    for before, after in pairwise(levels):
        assert before.depth <= after.depth
        assert before.lines >= after.lines >= 1
        if before.level < 0:
            assert before.overlooked > after.overlooked
            continue
        assert before.nodes < after.nodes
        assert before.overlooked == after.overlooked == 0
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
        assert set(chosen) <= {line.move for line in LINES}
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


@pytest.mark.parametrize("level", [LOWEST_LEVEL, *range(0, 21, 4)])
def test_mates_are_given_and_not_walked_into(level: int) -> None:
    dice = random.Random(level)
    giving = [
        Candidate("queen", 1800, "Kh1"),
        Candidate("mate", MATE - 3, "Kh1"),
        Candidate("table", 20000, "Kg1"),
    ]
    losing = [
        Candidate("mated", -MATE + 2, "Qh7"),
        Candidate("down", -1900, "Qxa1"),
        Candidate("also mated", -MATE + 4, "Qg7"),
    ]
    for _ in range(500):
        assert at(level).choose(giving, dice) == "mate"
        if level >= 0:  # below, a mate may be overlooked
            assert at(level).choose(losing, dice) == "down"


def test_a_reply_is_overlooked_for_all_moves_that_it_refutes() -> None:
    lines = [
        Candidate("safe", 0, "Nf6"),
        Candidate("hangs", -900, "Bxd4"),
        Candidate("hangs too", -900, "Bxd4"),
        Candidate("is mated", -MATE + 2, "Qh4"),
    ]
    weakest, number = at(LOWEST_LEVEL), 5000
    dice = random.Random(2)
    chosen = Counter(weakest.choose(lines, dice) for _ in range(number))
    # With one reply overlooked, its moves are as good as the safe one.
    unseen = weakest.overlooked
    assert chosen["is mated"] / number == pytest.approx(unseen * (1 / 2), rel=0.15)
    assert chosen["hangs"] / number == pytest.approx(unseen * (1 / 3), rel=0.15)
    assert chosen["hangs too"] / number == pytest.approx(unseen * (1 / 3), rel=0.15)
    assert {at(0).choose(lines, dice) for _ in range(200)} == {"safe"}


def test_technique_against_a_lone_king() -> None:
    weak = at(LOWEST_LEVEL)
    for fen in ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "kr6/8/8/8/3K4/8/8/8 b - - 0 1"):
        skilled = weak.in_position(chess.Board(fen))
        assert (skilled.level, skilled.technique, skilled.lines) == (TECHNIQUE_LEVEL, True, 1)
        for _ in range(20):
            assert skilled.choose(LINES[::-1], random.Random()) == "best"
        assert at(12).in_position(chess.Board(fen)).level == 12
    for fen in (
        "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",  # the lone king's move
        "8/8/8/3k4/8/8/p7/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
        chess.STARTING_FEN,
    ):
        assert weak.in_position(chess.Board(fen)) is weak


def test_the_order_of_lines_does_not_matter() -> None:
    lines = [Candidate("bad", -500), Candidate("good", 500)]
    assert at(20).choose(lines, random.Random(1)) == "good"


def test_one_line_is_no_choice() -> None:
    for score in (-MATE + 2, -700, 0, 20000, MATE - 1):
        assert at(0).choose([Candidate("only", score)], random.Random(1)) == "only"


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
