"""WDL chances: they add up to 1,000, are symmetric, and grow with the score."""

from hypothesis import given
from hypothesis import strategies as st

from engine.search.score import MATE
from uci.strength.wdl import wdl

scores = st.integers(-MATE, MATE)


@given(scores)
def test_chances_sum_up(score: int) -> None:
    win, draw, loss = wdl(score)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert wdl(-score) == (loss, draw, win)


@given(scores, scores)
def test_a_better_score_never_wins_less(one: int, other: int) -> None:
    worse, better = wdl(min(one, other)), wdl(max(one, other))
    assert worse[0] <= better[0]
    assert worse[2] >= better[2]


def test_mates_leave_no_doubt() -> None:
    assert wdl(MATE - 3) == (1000, 0, 0)
    assert wdl(4 - MATE) == (0, 0, 1000)
    assert wdl(0)[1] > 500
