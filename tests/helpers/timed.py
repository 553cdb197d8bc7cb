"""A mark for tests with limits of milliseconds, which a busy machine may miss now and then."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import pytest

P, R = ParamSpec("P"), TypeVar("R")


def timed(test: Callable[P, R]) -> Callable[P, R]:
    """Have ``test`` run alone, and fail when three tries in a row do."""
    return pytest.mark.alone(pytest.mark.flaky(reruns=2)(test))
