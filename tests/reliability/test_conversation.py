"""A client that sends all commands in any order: see `scripts.reliability.uci_machine`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from scripts.reliability.uci_machine import UciMachine

RUN = settings(
    derandomize=True, database=None, deadline=None, max_examples=12, stateful_step_count=30,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.mark.slow
def test_every_go_gets_its_move_and_every_isready_its_answer(warm: Path) -> None:
    run_state_machine_as_test(UciMachine, settings=RUN)  # type: ignore[no-untyped-call]
    assert UciMachine.said > 150
