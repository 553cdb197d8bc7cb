"""Fixtures: the doctor's results while nothing is broken."""

from pathlib import Path

import pytest

from uci.apps.doctor.check import Result
from uci.apps.doctor.run_checks import run_checks


@pytest.fixture(scope="session")
def before(warm: Path) -> dict[str, Result]:
    """Return the result of each check by name, while nothing is broken."""
    found = {result.name: result for result in run_checks({}, cold=False)}
    assert [result for result in found.values() if result.status == "wrong"] == []
    return found
