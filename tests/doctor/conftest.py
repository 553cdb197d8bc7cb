"""What is found while nothing is broken."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.examinations import Patch
from uci.apps.doctor import check_startup
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings, Probed
from uci.apps.doctor.run_checks import CHECKS, examine


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A start may take as long as it does beside other tests."""
    with Patch.context() as patch:
        patch.setattr(check_startup, "LATE", math.inf)
        yield


@pytest.fixture(scope="session")
def sound(warm: Path) -> Findings:
    """What is found while nothing is broken, at a speed of which other tests take nothing."""
    findings = Findings({})
    nodes, leaves = findings.probe.step("speed")
    assert 0 < nodes < leaves
    findings.probe = Probed({**findings.probe.steps, "speed": [1_000_000, 170_000_000]}, "")
    return findings


@pytest.fixture(scope="module")
def before(sound: Findings) -> dict[str, Check]:
    """What each check told of it."""
    found = {check.name: check for check in examine(sound)}
    assert len(found) == len(CHECKS)
    assert [check for check in found.values() if check.status == "wrong"] == []
    return found
