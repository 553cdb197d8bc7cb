"""Time in tests: patience, a clock to set, and a mark for what only the real clock can tell."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from scripts.patience import FOREVER as FOREVER
from scripts.patience import PATIENCE as PATIENCE

Test = TypeVar("Test", bound=Callable[..., Any])


def timed(reason: str) -> Callable[[Test], Test]:
    """Have a test run alone, and after a failure up to twice more: does it depend on load?

    The ``reason`` says what it holds that only the real clock can tell.
    """

    def mark(test: Test) -> Test:
        marked: Test = pytest.mark.alone(reason=reason)(pytest.mark.flaky(reruns=2)(test))
        return marked

    return mark


class Clock:
    """A clock that stands still until it is put forward."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
