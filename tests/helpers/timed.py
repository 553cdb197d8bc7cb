"""Tests that ask for an answer within milliseconds, on machines that now and then stall."""

import pytest

timed = pytest.mark.flaky(reruns=2)
"""Fails when three tries in a row do."""
