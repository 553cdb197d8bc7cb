"""Time in tests: timeouts, a clock to set, and a mark for tests that need the real clock."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from scripts.patience import FOREVER as FOREVER
from scripts.patience import PATIENCE as PATIENCE

Test = TypeVar("Test", bound=Callable[..., Any])


def timed(reason: str) -> Callable[[Test], Test]:
    """Mark a test to run alone, and after a failure up to twice more, since it depends on load.

    The ``reason`` says why the test needs the real clock.
    """

    def mark(test: Test) -> Test:
        marked: Test = pytest.mark.alone(reason=reason)(pytest.mark.flaky(reruns=2)(test))
        return marked

    return mark


class Clock:
    """A clock that advances only when a test sets it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
