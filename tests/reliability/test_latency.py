"""How soon a search answers is measured, and told."""

import re
from pathlib import Path

import pytest

from helpers.fake_managers import posix, write_program
from scripts.reliability import latency

SLOW = """
import sys, time
for line in sys.stdin:
    if line.startswith("isready"): print("readyok", flush=True)
    if line.startswith("stop"): time.sleep(0.03); print("bestmove a1a2", flush=True)
"""


@posix
@pytest.mark.slow
def test_a_late_answer_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "slow", SLOW)
    monkeypatch.setenv("PATH", str(tmp_path))
    write_program(tmp_path / "stress-ng", "import time\ntime.sleep(60)")
    assert latency.main([str(tmp_path / "slow"), "--count", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    rows = [re.split(r"  +", line.strip()) for line in lines]
    assert [row[:4] for row in rows] == [
        ["slow", machine, said, "3"] for machine in ("idle", "busy") for said in ("isready", "stop")
    ]
    assert all(float(row[4]) >= 30 for row in rows if row[2] == "stop")


def test_percentiles() -> None:
    values = [float(n) for n in range(100)]
    assert latency.percentile(values, 0.5) == 50
    assert latency.percentile(values, 0.99) == 99
    assert latency.percentile([3.0], 0.99) == 3


@posix
def test_an_engine_that_is_missing_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert latency.main([str(tmp_path / "none")]) == 2
    assert "none is not on the PATH" in capsys.readouterr().err
