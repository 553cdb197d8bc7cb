"""Fixtures: the doctor's results while nothing is broken."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.doctor_checks import Patch
from uci.apps.doctor import check_search
from uci.apps.doctor.diagnostics import Diagnostics, ProbeResults
from uci.apps.doctor.result import Result
from uci.apps.doctor.run_checks import CHECKS, run_checks


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """Allow starts more time, since other tests run meanwhile."""
    with Patch.context() as patch:
        patch.setattr(check_search, "SLOW_START", math.inf)
        yield


@pytest.fixture(scope="session")
def sound(warm: Path) -> Diagnostics:
    """Return the results while nothing is broken, with a speed that other tests do not lower."""
    diagnostics = Diagnostics({})
    nodes, leaves = diagnostics.probe.value("speed")
    assert 0 < nodes < leaves
    diagnostics.probe = ProbeResults(
        {**diagnostics.probe.steps, "speed": [1_000_000, 170_000_000]}, ""
    )
    return diagnostics


@pytest.fixture(scope="module")
def before(sound: Diagnostics) -> dict[str, Result]:
    """Return the result of each check of `sound`, by name."""
    found = {check.name: check for check in run_checks(sound)}
    assert len(found) == len(CHECKS)
    assert [check for check in found.values() if check.status == "wrong"] == []
    return found
