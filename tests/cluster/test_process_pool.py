"""A pool of processes loses no work when one dies."""

from concurrent.futures import Future
from pathlib import Path

import pytest

from helpers.timing import PATIENCE
from uci.apps.engines.executor import AHEAD, TaskLost, Workforce, as_done
from uci.apps.engines.process_pool import ProcessPool

pytestmark = pytest.mark.once

DIE_ONCE = "(path.unlink(), __import__('os')._exit(1)) if path.exists() else 42"
PID = "__import__('os').getpid()"


def test_a_process_that_dies_costs_its_task_only(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    flag.touch()
    with ProcessPool(2) as pool:
        dying = pool.submit(eval, DIE_ONCE, {"path": flag})
        others = [pool.submit(abs, -number) for number in range(20)]
        assert dying.result() == 42
        assert [other.result() for other in others] == list(range(20))
        killer = pool.submit(__import__("os")._exit, 1)
        others = [pool.submit(abs, -number) for number in range(20)]
        with pytest.raises(TaskLost, match="it has ended 4 processes"):
            killer.result()
        assert [other.result() for other in others] == list(range(20))
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        assert len({pool.submit(eval, PID).result() for _ in range(9)}) <= 2
    with pytest.raises(RuntimeError):
        pool.submit(abs, 1)


def test_its_end_waits_for_nothing() -> None:
    with ProcessPool(1) as pool:
        running = pool.submit(__import__("time").sleep, 600)
        waiting = pool.submit(abs, 1)
        while not running.running():
            pass
    assert waiting.cancelled()
    with pytest.raises(BaseException):  # noqa: B017, PT011
        running.result(PATIENCE)


class Later(Workforce):
    """Does the first of what waits when all it may be given is there."""

    def __init__(self) -> None:
        self.waiting: list[Future[int]] = []
        self.most = 0

    @property
    def size(self) -> int:
        return 5

    def start(self) -> Future[int]:
        future: Future[int] = Future()
        self.waiting.append(future)
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == AHEAD * self.size:
            self.waiting.pop(0).set_result(1)
        return future


def test_a_few_tasks_are_ahead() -> None:
    later, found = Later(), []
    for number, _ in as_done(later, ((number, later.start) for number in range(1000))):
        found.append(number)
        if number == 985:  # the last are waited for
            for future in later.waiting:
                future.set_result(1)
    assert found == list(range(1000))
    assert later.most == AHEAD * later.size
