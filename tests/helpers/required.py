"""Programs that some tests need: without one, a test is skipped, or fails where it is required."""

import os
from typing import NoReturn

import pytest


def is_required(kind: str) -> bool:
    """Return whether tests of this kind must not be skipped, by ``PYTHAGORAS_REQUIRE_KIND``."""
    return bool(os.environ.get(f"PYTHAGORAS_REQUIRE_{kind.upper()}"))


def skip_or_fail(kind: str, what: str) -> NoReturn:
    """Skip a test because ``what`` is missing; fail it if tests of its kind are required."""
    if is_required(kind):
        pytest.fail(f"PYTHAGORAS_REQUIRE_{kind.upper()} is set, but there is {what}")
    pytest.skip(f"there is {what}")
