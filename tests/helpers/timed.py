"""A mark for tests with limits of milliseconds, which a busy machine may miss now and then."""

import pytest

timed = pytest.mark.flaky(reruns=2)
"""Fails when three tries in a row do."""
