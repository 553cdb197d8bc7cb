"""The static eval of a node: its source, its refinement by the table, and when it improves."""

from typing import Any

import pytest

from engine.evaluation.nnue import evaluate, start
from engine.lab.interpreted import Interpreter
from engine.search import static_eval
from engine.search.score import TB_WIN_IN_MAX
from engine.search.thread import new_thread
from engine.search.tt import EXACT, LOWER, NO_SCORE, UPPER
from helpers import naive
from helpers.naive_search import static_score
from helpers.search_steps import NOTHING, Shelf, plain

pytestmark = pytest.mark.interpreted
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
CHECK = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    shelf = Shelf(ITALIAN)
    plain(start)(shelf.pos, shelf.th)
    return shelf


def raw(shelf: Shelf, data: Any) -> int:
    return int(plain(static_eval.raw_evaluation)(shelf.pos, shelf.th, 0, data))


def test_without_an_entry_the_network_evaluates(shelf: Shelf) -> None:
    assert raw(shelf, NOTHING) == static_score(shelf.pos)
    assert raw(shelf, shelf.entry(8, 20, EXACT)) == static_score(shelf.pos), "it has none stored"


@pytest.mark.parametrize("stored", [-731, 0, 1, 29_000])
def test_what_is_stored_is_taken(shelf: Shelf, stored: int) -> None:
    assert raw(shelf, shelf.entry(8, 20, EXACT, static=stored)) == stored


def test_the_network_is_not_asked_when_the_table_knows(shelf: Shelf) -> None:
    asked: list[int] = []

    def ask(*_: Any) -> int:
        asked.append(1)
        return 33

    step = Interpreter({evaluate: lambda _: ask}).copy(static_eval.raw_evaluation)
    assert step(shelf.pos, shelf.th, 0, NOTHING) == 33
    assert asked == [1]
    assert step(shelf.pos, shelf.th, 0, shelf.entry(8, 20, EXACT, static=12)) == 12
    assert asked == [1]


def test_in_check_there_is_none() -> None:
    raw_in_check = plain(static_eval.raw_evaluation)(
        naive.position(CHECK), new_thread(), 0, NOTHING
    )
    assert raw_in_check == NO_SCORE


@pytest.mark.parametrize(
    ("bound", "score", "refined"),
    [
        (EXACT, 90, 90), (EXACT, -90, -90),
        (LOWER, 11, 11), (LOWER, 10, 10), (LOWER, 9, 10),
        (UPPER, 9, 9), (UPPER, 10, 10), (UPPER, 11, 10),
        (EXACT, TB_WIN_IN_MAX - 1, TB_WIN_IN_MAX - 1), (EXACT, TB_WIN_IN_MAX, 10),
        (LOWER, TB_WIN_IN_MAX + 5, 10), (UPPER, -TB_WIN_IN_MAX, 10),
    ],
)  # fmt: skip
def test_a_bound_refines_what_it_contradicts(
    shelf: Shelf, bound: int, score: int, refined: int
) -> None:
    step = plain(static_eval.tt_adjusted_eval)
    assert step(shelf.entry(8, score, bound), 0, 10) == refined


def test_nothing_refines_without_an_entry_or_in_check(shelf: Shelf) -> None:
    step = plain(static_eval.tt_adjusted_eval)
    assert step(NOTHING, 0, 10) == 10
    assert step(shelf.entry(8, 500, EXACT), 0, NO_SCORE) == NO_SCORE


@pytest.mark.parametrize(
    ("ply", "before", "now", "improves"),
    [
        (2, 10, 11, True),
        (2, 10, 10, False),
        (2, 10, 9, False),
        (7, -300, -299, True),
        (2, NO_SCORE, 11, False),
        (2, 10, NO_SCORE, False),
        (1, 10, 11, False),
        (0, 10, 11, False),
    ],
)
def test_a_side_improves_on_its_previous_move(
    ply: int, before: int, now: int, improves: bool
) -> None:
    """Near the root a side has no previous move; a negative index must not wrap around."""
    th = new_thread()
    th.static_eval[ply - 2], th.static_eval[ply] = before, now
    assert bool(plain(static_eval.is_improving)(th, ply)) == improves
