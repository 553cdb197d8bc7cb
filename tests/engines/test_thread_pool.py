"""A pool of threads loses no work when an engine ends, and stops at once."""

import threading
from concurrent.futures import Future

import pytest

from helpers.timing import PATIENCE
from uci.apps.engines.client import EngineGone, TaskStopped
from uci.apps.engines.executor import AHEAD, TaskExecutor, TaskLost, as_done
from uci.apps.engines.task_worker import keep
from uci.apps.engines.thread_pool import ThreadPool
from uci.errors import UciError


class Endless:
    """An engine whose task ends when it is stopped."""

    def __init__(self, begun: threading.Event) -> None:
        self.stopped, self.closed = threading.Event(), threading.Event()
        begun.set()
        self.begun = begun

    def stop(self) -> None:
        self.stopped.set()

    def close(self) -> None:
        self.stop()
        self.closed.set()


def ask(begun: threading.Event) -> bool:
    """Return when the engine is stopped."""
    return keep(Endless, begun).stopped.wait(PATIENCE)


def end(left: list[int]) -> int:
    """Take one from ``left`` and end the engine; return 42 once none is left."""
    if left:
        left.pop()
        raise EngineGone("it has ended")
    return 42


def test_an_engine_that_ends_costs_its_task_only() -> None:
    with ThreadPool(2) as pool:
        ending = pool.submit(end, [1, 2, 3])
        others = [pool.submit(abs, -number) for number in range(20)]
        assert ending.result() == 42
        assert [other.result() for other in others] == list(range(20))
        killer = pool.submit(end, [1, 2, 3, 4])
        others = [pool.submit(abs, -number) for number in range(20)]
        with pytest.raises(TaskLost, match="it crashed 4 engines"):
            killer.result()
        assert [other.result() for other in others] == list(range(20))
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
    with pytest.raises(UciError, match="could not start a task"):
        pool.submit(abs, 1)


def test_its_end_stops_what_runs() -> None:
    begun = threading.Event()
    with ThreadPool(1) as pool:
        running = pool.submit(ask, begun)
        waiting = pool.submit(abs, 1)
        assert begun.wait(PATIENCE)
    assert waiting.cancelled()
    with pytest.raises(TaskStopped):
        running.result(0)


def test_what_is_made_when_all_has_ended_is_stopped_too() -> None:
    begun, made = threading.Event(), threading.Event()

    def late() -> None:
        begun.set()
        assert made.wait(PATIENCE)
        ask(begun)

    pool = ThreadPool(1)
    running = pool.submit(late)
    assert begun.wait(PATIENCE)
    threading.Timer(0.05, made.set).start()
    pool.shutdown()
    with pytest.raises(TaskStopped):
        running.result(0)


def test_engines_are_kept_and_closed() -> None:
    begun = threading.Event()
    with ThreadPool(1) as pool:
        first, second, other = (
            pool.submit(keep, Endless, each).result() for each in (begun, begun, threading.Event())
        )
        assert first is second
        assert first.closed.is_set()
        assert not other.closed.is_set()
    assert other.closed.is_set()


class Later(TaskExecutor):
    """An executor that runs the first waiting task once it has as many as it may be given."""

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
        if number == 985:  # all are started: finish those that wait
            for future in later.waiting:
                future.set_result(1)
    assert found == list(range(1000))
    assert later.most == AHEAD * later.size
