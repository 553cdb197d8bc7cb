"""Hooks in the source of a kernel: their places, their arguments, and invalid ones."""

from typing import Any

import numpy as np
import pytest

from engine.jit.kernel import kernel
from engine.lab.interpreted import source_of
from engine.lab.watching import recursive, watched

LOG = np.dtype([("length", np.int64), ("words", np.int64, 64)])


@kernel
def _note(log: Any, word: Any) -> None:
    log.words[log.length] = word
    log.length += 1


@kernel
def _step(log: Any, size: Any) -> None:
    """Write nothing; the hook that is called before it does."""


@kernel
def _countdown(log: Any, number: Any) -> Any:
    """Call itself down to 0; return the number times 10."""
    if number == 0:
        return np.int64(0)
    number += 100
    for _ in range(2):
        _step(log, number * 2)
    number -= 100
    _countdown(log, number - 1)
    return number * 10


@kernel
def _count(log: Any, number: Any) -> Any:
    """Call `_countdown`, as a kernel that Python calls does."""
    return _countdown(log, number)


@kernel
def _entered(number: Any, log: Any) -> None:
    _note(log, number)


@kernel
def _left(value: Any, log: Any, number: Any) -> Any:
    _note(log, 1000 + value + number)
    return value + 1


@kernel
def _before_step(log: Any, size: Any, number: Any) -> None:
    _note(log, size)
    _note(log, number)


@kernel
def _wants_more(log: Any, other: Any) -> None: ...


def fresh() -> Any:
    return np.rec.array(np.zeros(1, LOG))[0]


@pytest.mark.interpreted
def test_hooks_are_called_in_order() -> None:
    """Hooks get the present values, at each level of a recursion and at every return."""
    copy = watched(_countdown, "countdown_watched", _entered, _left, before={"_step": _before_step})
    count = kernel(watched(_count, "count_watched", _countdown=recursive(copy, "_countdown")))
    log = fresh()
    assert count(log, np.int64(1)) == 11
    assert log.words[: log.length].tolist() == [1, 202, 101, 202, 101, 0, 1000, 1011]


@pytest.mark.interpreted
def test_the_kernel_itself_stays_as_it_is() -> None:
    log = fresh()
    watched(_countdown, "countdown_unused", _entered, _left)
    assert _count(log, np.int64(3)) == 30
    assert log.length == 0


@pytest.mark.interpreted
def test_globals_are_replaced() -> None:
    copy = watched(_countdown, "countdown_bound", _countdown=_before_step, _step=_wants_more)
    assert copy.__globals__["_countdown"] is _before_step
    assert copy.__globals__["_step"] is _wants_more
    assert copy.__name__ == "countdown_bound"


def test_errors_tell_lines_of_the_source() -> None:
    """Tracebacks and numba's messages show the line of the copied kernel's source."""
    source = source_of(_countdown).__code__
    copy = watched(_countdown, "countdown_lines", _entered, _left).__code__
    assert copy.co_filename == source.co_filename
    decorated = source.co_firstlineno
    lines = {line for _, _, line in source.co_lines()} | {decorated + 1}
    assert {line for _, _, line in copy.co_lines()} == lines - {decorated}


@pytest.mark.parametrize(
    ("hooks", "message"),
    [
        ({"enter": _wants_more}, "_countdown has no other for a hook"),
        ({"leave": _wants_more}, "_countdown has no other for a hook"),
        ({"before": {"_step": _wants_more}}, "_countdown has no other for a hook"),
        ({"before": {"_note": _entered}}, "no statement of _countdown calls _note"),
    ],
)
def test_what_does_not_fit_is_refused(hooks: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        watched(_countdown, "countdown_refused", **hooks)
