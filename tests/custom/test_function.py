"""Evaluations that users write: what their machine code depends on, and their errors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pythagoras.evaluation import popcount

from engine.custom.function import Evaluation, EvaluationError
from engine.jit.kernel import COMPILED
from uci.session.own_evaluation import try_out

pytestmark = pytest.mark.interpreted

WEIGHT = 3
TABLE = np.arange(12)


def pawns(by_type: Any) -> Any:
    return WEIGHT * popcount(by_type[0])


def evaluate(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    return pawns(by_type) + TABLE[side] + int(math.sqrt(4))


def test_the_digest_covers_all_that_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Evaluation(evaluate).digest
    assert Evaluation(evaluate).digest == first
    for name, value in (
        ("WEIGHT", 4),
        ("WEIGHT", 3.0),
        ("TABLE", np.arange(12) * 2),
        ("TABLE", np.arange(12, dtype=np.int16)),
        ("pawns", lambda by_type: 3 * popcount(by_type[0]) + 1),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(globals(), name, value)
            assert Evaluation(evaluate).digest != first, name
    assert Evaluation(evaluate).digest == first


def made(weight: int) -> Callable[..., Any]:
    def evaluate(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
        return weight * popcount(by_type[0])

    return evaluate


def test_a_closure_is_known_by_its_values() -> None:
    assert Evaluation(made(1)).digest == Evaluation(made(1)).digest != Evaluation(made(2)).digest


@pytest.mark.skipif(not COMPILED, reason="numba's decorator does nothing")
def test_a_decorated_function_is_the_same() -> None:
    numba = pytest.importorskip("numba")
    assert Evaluation(numba.njit(evaluate)).digest == Evaluation(evaluate).digest


def test_stored_code_does_not_need_the_users_module() -> None:
    assert Evaluation(evaluate).compiled().__module__ == "engine.custom.function"


def test_it_is_tried_as_python() -> None:
    try_out(Evaluation(evaluate).interpreted())


def divides(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    return 100 // int(np.sum(board == 4) - 1)


def looks_beyond(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    return TABLE[board[30]]


def writes(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    board[0] = 0
    return 0


def returns_nothing(board: Any, by_type: Any, by_colour: Any, side: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (divides, ZeroDivisionError),
        (looks_beyond, IndexError),
        (writes, ValueError),
        (returns_nothing, EvaluationError),
    ],
)
def test_what_fails_in_a_position_names_it(
    function: Callable[..., Any], error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        try_out(Evaluation(function).interpreted())
    assert caught.value.__notes__[0].startswith("in the position ")
    names = [entry.name for entry in caught.traceback]
    assert function.__name__ in names or error is EvaluationError


@pytest.mark.skipif(not COMPILED, reason="nothing is typed")
def test_what_cannot_be_compiled_shows_its_line() -> None:
    def evaluate(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
        return {}.get(side, 0) + "x"

    with pytest.raises(Exception, match=r"test_function\.py"):
        Evaluation(evaluate).check_types()


def test_what_has_no_digest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "WEIGHT", {1: 2})
    with pytest.raises(EvaluationError, match="pawns uses WEIGHT, a dict"):
        Evaluation(evaluate)


def test_what_is_not_a_function_is_refused() -> None:
    for value in (3, print):
        with pytest.raises(EvaluationError, match="not a Python function"):
            Evaluation(value)  # type: ignore[arg-type]
