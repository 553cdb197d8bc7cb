"""What a scheduler can bear: the calculation, and small forms of what is measured."""

import re
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.jit.kernel import COMPILED
from scripts.measure import cluster_limits, cluster_speed
from scripts.measure.cluster_limits import Costs, Crowd, heartbeats, line_through, run_tasks, table


def test_a_scheduler_bears_what_its_core_has_left() -> None:
    costs = Costs(0.001, 0.0, 0.0)
    assert costs.busy(500, 10) == pytest.approx(0.05)
    assert costs.at_work(500, 10) == 1
    assert costs.at_work(20_000, 10) == pytest.approx(0.5)
    assert costs.most_workers(0.1) == pytest.approx(100, abs=1)
    looking = Costs(0.001, 0.00001, 0.0)
    assert looking.busy(900, 10) == pytest.approx(0.9)
    assert looking.at_work(1900, 10) == pytest.approx(1 / 3.8)
    assert heartbeats(10) == 20
    assert heartbeats(10**9) == pytest.approx(200, rel=1e-4)
    beating = Costs(0.001, 0.0, 0.5 / heartbeats(400))
    assert beating.busy(400, 1) == pytest.approx(0.9)
    assert beating.at_work(400, 0.4) == pytest.approx(0.5)
    assert Costs(0.001, 0.0, 1.0).at_work(400, 10) == 0


def test_costs_lie_on_a_line() -> None:
    crowds = [Crowd(n, 0.002 + n * 0.00001, heartbeats(n) * 0.0001) for n in (100, 300, 900)]
    costs = line_through(crowds)
    assert costs.task == pytest.approx(0.002)
    assert costs.look == pytest.approx(0.00001)
    assert costs.heartbeat == pytest.approx(0.0001)
    alike = line_through([Crowd(20, 0.003, 0.01), Crowd(60, 0.001, 0.01)])
    assert (alike.task, alike.look) == (pytest.approx(0.002), 0)


def test_the_table_says_what_moves() -> None:
    costs = Costs(0.0025, 0.0, 0.0)
    assert "ends at 4,000 workers" in table(costs)[0]
    rows = [line for line in table(costs) if re.match(r"\| \d", line)]
    assert rows == [
        "| 10 | 8 | 80,000 | 2% | 100% |",
        "| 100 | 80 | 800,000 | 20% | 100% |",
        "| 1,000 | 400 | 4,000,000 | 100% | 50% |",
    ]


class Counting(Executor):
    """Counts the tasks under way, none of which ends before so many are."""

    def __init__(self) -> None:
        self.waiting: list[Future[bytes]] = []
        self.most = 0

    def submit(self, *_: Any, **__: Any) -> Future[bytes]:
        future: Future[bytes] = Future()
        self.waiting.append(future)
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == 7:
            self.waiting.pop(0).set_result(b"")
        return future


def test_so_many_tasks_are_under_way() -> None:
    counting, seen = Counting(), []

    def watch(done: int) -> None:
        seen.append(done)
        if done == 94:
            for future in counting.waiting:
                future.set_result(b"")

    run_tasks(counting, 100, 7, watch=watch)
    assert (counting.most, seen) == (7, list(range(1, 101)))
    with ThreadPoolExecutor(1) as pool:
        assert run_tasks(pool, 3, 2, seconds=0.01) >= 0.03


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks in /proc")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cost", "--tasks", "200"], r"^200 tasks in .* ms of the scheduler's core"),
        (["memory", "--tasks", "200"], r"\n200 tasks: client [\d.]+ MiB, scheduler [\d.]+ MiB\n"),
        (
            ["crowd", "--workers", "20,60", "--rate", "80", "--rounds", "6"],
            r"(?s)^20 workers, .*\n60 workers, .* at work\n.*\ncalculated: a task costs ",
        ),
    ],
)
def test_small_forms(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster_limits.main(words) == 0
    assert re.search(said, capsys.readouterr().out)


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_a_cluster_beside_a_pool(warm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cluster_speed.main(["--games", "1", "--nodes", "1000", "--jobs", "1", "--rounds", "1"]) == 0
    )
    assert re.search(r"1 at work: median \d\.\d{3}", capsys.readouterr().out)
