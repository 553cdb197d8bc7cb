"""The comparison of speeds: the figures computed from the engines' output."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.match.builds import Build
from scripts.match.exit_status import ERROR
from scripts.measure import bench_speed
from scripts.measure.bench_speed import POSITIONS, MeasuredEngine, main


def test_the_mean_of_the_medians() -> None:
    one = MeasuredEngine("one", ["one"], [[1e6, 8e6, 2e6], *[[4e6]] * (len(POSITIONS) - 2), [8e6]])
    assert one.nps == pytest.approx(4e6)


def test_threads_are_compared_by_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def benches(words: Sequence[str], count: int) -> list[str]:
        asked.append((words[-1], count))
        slow = 10 if len(asked) == 4 else 1  # an outlier
        nodes, nps = (1000, 100 // slow) if words[-1] == "1" else (1500, 190 // slow)
        return [f"1/1 score 5\n{nodes} nodes {nps} nps\n"] * count

    monkeypatch.setattr(bench_speed, "_outputs", benches)
    threads, processes = bench_speed.threads_against_one("engine", 2)
    assert asked == [("1", 1), ("2", 1), ("1", 2)] * bench_speed.BENCHES
    assert "1.90 × the nodes per second, 1.27 × to depth" in threads
    assert processes == "2 processes: 2.00 × the nodes per second"


def test_processes_run_at_once() -> None:
    words = [sys.executable, "-c", "print('12 nodes')"]
    assert bench_speed._outputs(words, 2) == ["12 nodes\n"] * 2


def test_perft_is_told_as_a_part_of_stockfish(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(words: Sequence[str], text: str = "") -> float:
        depth = text.split()[2] if text else words[2]
        pace = 4.0 if text else 5.0 / int(words[-1])
        return 0.5 + (pace if depth == str(bench_speed.PERFT_DEPTH) else 0)

    monkeypatch.setattr(bench_speed, "_seconds", seconds)
    lines = list(bench_speed.perft("engine", "stockfish", 2))
    assert [line.split()[-4] for line in lines] == ["0.80", "1.60", "1.00"]
    assert "of" not in next(bench_speed.perft("engine", None, 2))


def test_an_engine_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_speed, "build", lambda _: Build("key", Path("engine")))
    assert main(["--against", "no-such-engine"]) == ERROR
    assert capsys.readouterr().err == "bench_speed: no-such-engine is not on the PATH\n"
