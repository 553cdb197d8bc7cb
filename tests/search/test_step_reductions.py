"""Reductions, step by step: which moves are reduced more or less, and from where to where."""

from typing import Any

import pytest

from engine.search import reductions
from engine.search.reductions import PLY
from engine.search.thread import new_thread
from engine.search.tt import NO_SCORE
from helpers.search_steps import FAR, depths, first, plain

pytestmark = pytest.mark.interpreted
TH = new_thread()
PLAIN: dict[str, int] = {
    "depth": 12,
    "move_count": 12,
    "quiet": 1,
    "is_pv": 0,
    "improving": 1,
    "in_check": 0,
    "gives_check": 0,
    "cutnode": 0,
    "tt_noisy": 0,
    "history_score": 0,
    "was_pv": 0,
    "cutoffs": 0,
    "correction": 0,
}
"""A late quiet move."""


def reduction(parameters: dict[Any, int] | None = None, **of: int) -> int:
    """Return the reduction of a late quiet move in plies, with some arguments changed."""
    move, th, ply = PLAIN | of, new_thread(), 3
    th.tt_pv[ply], th.cutoffs[ply + 1] = move["was_pv"], move["cutoffs"]
    names = ("depth", "move_count", "quiet", "is_pv", "improving")
    base = plain(reductions.base_reduction, parameters)(th, *(move[name] for name in names))
    names = ("in_check", "gives_check", "cutnode", "tt_noisy", "history_score", "correction")
    late = plain(reductions.late_move_reduction, parameters)
    return int(late(th, ply, base, *(move[name] for name in names)))


def test_deep_and_late_moves_are_reduced_more() -> None:
    for name in ("depth", "move_count"):
        found = [reduction(**{name: value}) for value in range(2, 64)]
        assert found == sorted(found)
        assert found[-1] > found[0]
        assert reduction(**{name: 63}) == reduction(**{name: 200}), "up to a limit"


def all_reductions(**of: int) -> list[int]:
    """Return the reductions of all kinds of late quiet moves, deep and very late ones last."""
    return [
        reduction(depth=depth, move_count=count, **of)
        for depth in range(3, 40, 3)
        for count in (3, 6, 12, 25)
    ]


LITTLE = ("cutnode", "quiet", "tt_noisy")
"""Properties of unpromising moves."""


@pytest.mark.parametrize(
    "what", ["is_pv", "was_pv", "in_check", "gives_check", "improving", *LITTLE]
)
def test_what_promises_much_is_reduced_less(what: str) -> None:
    """A promising property never increases a reduction, and lowers some."""
    promising = what not in LITTLE
    less, more = (all_reductions(**{what: value}) for value in (promising, not promising))
    assert all(one <= other for one, other in zip(less, more, strict=True))
    assert sum(less) < sum(more)


def test_a_good_history_reduces_less_and_a_bad_one_more() -> None:
    found = [reduction(history_score=score) for score in range(-30_000, 30_001, 500)]
    assert found == sorted(found, reverse=True)
    assert found[0] > reduction() > found[-1]


@pytest.mark.parametrize(
    ("name", "of"),
    [("_base", {}), ("_noisy_base", {"quiet": 0}), ("_not_improving", {"improving": 0}),
     ("_cut", {"cutnode": 1}), ("_tt_noisy", {"tt_noisy": 1}), ("_cutoffs", {"cutoffs": 100})],
)  # fmt: skip
def test_each_share_is_its_parameter(name: str, of: dict[str, int]) -> None:
    """Each share equals its parameter, in 1024ths of a ply, seen by crossing a whole ply."""
    share = getattr(reductions, name)
    value = first(lambda value: reduction({share: value}, **of) >= 1, -10 * PLY, 10 * PLY)
    assert reduction({share: value - 1}, **of) == 0
    assert reduction({share: value + PLY - 1}, **of) == 1
    assert reduction({share: value + PLY}, **of) == 2


@pytest.mark.parametrize(
    ("name", "of"),
    [("_pv", "is_pv"), ("_tt_pv", "was_pv"), ("_check", "gives_check"), ("_evasion", "in_check")],
)
def test_each_share_that_is_taken_off_is_its_parameter(name: str, of: str) -> None:
    share = getattr(reductions, name)
    assert reduction({share: 0}, **{of: 1}) == reduction()
    assert reduction({share: 2 * PLY}, **{of: 1}) == reduction() - 2


@pytest.mark.parametrize("sign", [1, -1])
def test_an_uncertain_evaluation_reduces_less(sign: int) -> None:
    whole = {reductions._correction: PLY // 16}
    assert reduction(whole, correction=sign * 16) == reduction() - 1
    assert reduction({reductions._correction: 0}, correction=sign * 100) == reduction()
    assert sum(all_reductions(correction=sign * 60)) < sum(all_reductions())


def test_late_move_reductions_are_switched_off_by_their_parameters() -> None:
    off = {reductions._base: -FAR, reductions._noisy_base: -FAR}
    for quiet in (0, 1):
        assert reduction(off, depth=63, move_count=63, quiet=quiet, cutnode=1, improving=0) < 0


def test_few_cutoffs_of_the_next_ply_change_nothing() -> None:
    assert reduction({reductions._many_cutoffs: 3}, cutoffs=3) == reduction()
    assert reduction({reductions._many_cutoffs: 3, reductions._cutoffs: PLY}, cutoffs=4) == (
        reduction() + 1
    )


def test_reductions_begin_with_a_move_and_one_later_in_a_pv_node() -> None:
    for unreduced in (1, 3):
        may = plain(reductions.may_reduce, {reductions._unreduced: unreduced})
        assert first(lambda count: may(TH, 9, count, 0), low=1) == unreduced + 1  # noqa: B023
        assert first(lambda count: may(TH, 9, count, 1), low=1) == unreduced + 2  # noqa: B023
        assert not may(TH, 2, 8, 0)


# A node without a move to try first


def test_only_a_deep_cut_node_is_reduced_without_a_move() -> None:
    without = plain(reductions.iir)
    deep = depths(lambda depth: without(TH, depth, 1))
    assert deep.start > 1
    assert deep.stop == 60
    assert not any(without(TH, depth, 0) for depth in range(60))
    assert {without(TH, depth, 1) for depth in deep} == {1}


@pytest.mark.parametrize("least", [2, 7, FAR])
def test_that_depth_is_a_parameter(least: int) -> None:
    without = plain(reductions.iir, {reductions._iir_depth: least})
    assert without(TH, least, 1)
    assert not without(TH, least - 1, 1)


# In hindsight


def in_hindsight(before: int, after: int, reduced: int = 3, least: int | None = None) -> int:
    """Return the extension by the static evals before the move (the other side's) and after it."""
    parameters = {} if least is None else {reductions._hindsight: least}
    th = new_thread()
    th.static_eval[4], th.reduction[5] = before, reduced
    return int(plain(reductions.hindsight_extension, parameters)(th, 5, after))


def test_a_reduced_move_that_did_not_worsen_its_side_is_extended() -> None:
    assert in_hindsight(before=70, after=-70) == 1
    assert in_hindsight(before=70, after=-69) == 0
    assert in_hindsight(before=-70, after=70) == 1
    assert in_hindsight(before=-70, after=71) == 0


def test_what_was_not_reduced_or_is_unknown_is_not_extended() -> None:
    assert in_hindsight(70, -200, reduced=0) == 0
    assert in_hindsight(NO_SCORE, -200) == 0
    assert in_hindsight(70, -200, reduced=3, least=3) == 1
    assert in_hindsight(70, -200, reduced=2, least=3) == 0
    assert in_hindsight(70, -200, least=FAR) == 0


# After a reduced search that failed high


def changed(ahead: int, is_pv: int = 0, parameters: dict[Any, int] | None = None) -> int:
    return int(plain(reductions.deeper_or_shallower, parameters)(TH, ahead, is_pv))


def test_a_search_again_is_deeper_for_a_clear_fail_high_and_shallower_for_a_narrow_one() -> None:
    parameters = {reductions._deeper: 30, reductions._shallower: 6}
    found = {ahead: changed(ahead, 0, parameters) for ahead in (-10, 5, 6, 30, 31, 500)}
    assert found == {-10: -1, 5: -1, 6: 0, 30: 0, 31: 1, 500: 1}
    found = {ahead: changed(ahead, 1, parameters) for ahead in (-10, 5, 6, 30, 31, 500)}
    assert found == {-10: 0, 5: 0, 6: 0, 30: 0, 31: 1, 500: 1}, "never shallower in a PV node"


def test_both_are_switched_off_by_their_parameters() -> None:
    off = {reductions._deeper: FAR, reductions._shallower: -FAR}
    assert {changed(ahead, 0, off) for ahead in range(-20_000, 20_000, 777)} == {0}
    assert changed(20_000) == 1
    assert changed(-20_000) == -1
