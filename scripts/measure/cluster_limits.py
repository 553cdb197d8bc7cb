"""Measure what tasks cost a scheduler of Dask, and from that where it ends.

Usage: python -m scripts.measure.cluster_limits cost|memory|crowd, on an idle machine with /proc.

``cost`` times 20,000 empty tasks by two workers, with the arguments and results of an analysis in
size. ``memory`` runs 200,000 and shows the memory of client and scheduler on the way, beginning
when the scheduler has heard of as many tasks as it remembers the names of. ``crowd`` has 100, 500
and 1,000 workers sleep, fifty to a process, 50 tasks a second; it measures what share of them is at
work, and what the scheduler needs for it. It ends with a table of what so many machines would do,
which is calculated: for each task the scheduler looks through all workers for the one that has the
least to do, so what a task costs grows with them along a line.
"""

import argparse
import os
import queue
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np
from dask.utils import key_split
from distributed import Client
from distributed.scheduler import heartbeat_interval

from scripts.match.builds import ROOT
from scripts.match.command_line import command_line
from scripts.measure.dask_processes import dask_processes
from uci.apps.engines import dask_cleanup
from uci.apps.engines.compatibility import ENGINE
from uci.apps.engines.executor import AHEAD

ASKED, ANSWERED = 1_000, 4_000
"""Bytes of a chunk of a game, and of what was seen in it, about."""

MACHINES = (10, 100, 1_000)
CORES = 8
"""Workers of a machine in the table."""

TASK_SECONDS = 10.0
"""Ten positions at the two million nodes of `pythagoras analyse`, on one core."""

MOST_AT_ONCE = 500
"""Empty tasks under way, so that neither side waits for the other."""

TO_A_PROCESS = 50

FORGET_EVERY = 1_000
"""Tasks, where our commands go by seconds."""

REMEMBERED = 100_000
"""Names of tasks that Dask keeps."""

IDLE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Costs:
    """What a scheduler spends, in seconds of its core.

    For a ``task``, for each worker that is looked at for it, and for a worker's ``heartbeat``.
    """

    task: float
    look: float
    heartbeat: float

    def busy(self, workers: int, seconds: float) -> float:
        """Return the share of its core that tasks of so many seconds need of so many workers."""
        tasks = workers / seconds * (self.task + self.look * workers)
        return tasks + self.heartbeat * heartbeats(workers)

    def at_work(self, workers: int, seconds: float) -> float:
        """Return the share of the workers that are at work with tasks of so many seconds."""
        idle = self.heartbeat * heartbeats(workers)
        return min(1.0, max(0.0, 1 - idle) / (self.busy(workers, seconds) - idle))

    def most_workers(self, seconds: float) -> int:
        """Return how many are all at work with tasks of so many seconds."""
        workers = 1
        while self.busy(workers + 1, seconds) <= 1:
            workers += 1
        return workers


@dataclass(frozen=True, slots=True)
class Crowd:
    """What was seen of so many workers: seconds of the scheduler's core for a task, and idle."""

    workers: int
    task: float
    idle: float


def heartbeats(workers: int) -> float:
    """Return how many a second Dask has so many workers send: the more they are, the less each."""
    return workers / float(heartbeat_interval(workers))


def line_through(crowds: Sequence[Crowd]) -> Costs:
    """Return the costs that fit crowds of different sizes best, by least squares."""
    look, task = np.polyfit([c.workers for c in crowds], [c.task for c in crowds], 1)
    if look < 0:  # they differ by chance alone
        look, task = 0.0, np.mean([c.task for c in crowds])
    heartbeat = sum(c.idle for c in crowds) / sum(heartbeats(c.workers) for c in crowds)
    return Costs(float(task), float(look), heartbeat)


def table(costs: Costs) -> list[str]:
    """Return lines that say what clusters would do, by calculation."""
    lines = [
        f"calculated: a task costs {1000 * costs.task:.2f} ms of the scheduler's core, and"
        f" {1e6 * costs.look:.1f} µs for each worker; with tasks of {TASK_SECONDS:g} s it"
        f" ends at {costs.most_workers(TASK_SECONDS):,} workers",
        "| machines of 8 cores | tasks a second | bytes a second through the scheduler |"
        " scheduler busy | workers at work |",
        "| --- | --- | --- | --- | --- |",
    ]
    for machines in MACHINES:
        workers = machines * CORES
        share = costs.at_work(workers, TASK_SECONDS)
        tasks = share * workers / TASK_SECONDS
        moved = 2 * tasks * (ASKED + ANSWERED)  # in, and out again
        busy = min(1.0, costs.busy(workers, TASK_SECONDS))
        lines.append(f"| {machines:,} | {tasks:,.0f} | {moved:,.0f} | {busy:.0%} | {share:.0%} |")
    return lines


def answer(asked: bytes, seconds: float, size: int) -> bytes:
    """Sleep so long, and return so many bytes: a task."""
    if seconds:
        time.sleep(seconds)
    return bytes(size)


def run_tasks(
    executor: Executor,
    tasks: int,
    at_once: int,
    seconds: float = 0.0,
    watch: Callable[[int], None] = lambda done: None,
) -> float:
    """Have so many tasks done, some at once; return the seconds. ``watch`` is told of each."""
    done: queue.SimpleQueue[Future[bytes]] = queue.SimpleQueue()
    asked = bytes(ASKED)
    begun, started = 0, time.perf_counter()
    for finished in range(tasks):
        while begun < tasks and begun - finished < at_once:
            executor.submit(answer, asked, seconds, ANSWERED).add_done_callback(done.put)
            begun += 1
        done.get().result()
        watch(finished + 1)
    return time.perf_counter() - started


def core_seconds(pid: int) -> float:
    """Return the seconds that a process has spent on a core."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Return the MiB that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def connect(address: str, workers: int) -> Client:
    """Return a client, when so many workers are there."""
    client = Client(address, set_as_default=False)
    client.wait_for_workers(workers)
    return client


def measure_cost(folder: Path, tasks: int) -> None:
    """Print what a task costs where two workers do nothing else."""
    with dask_processes(ROOT, folder, workers=0) as cluster:
        cluster.work("--resources", f"{ENGINE}=1", count=2)
        scheduler = cluster.processes[0].pid
        with connect(cluster.address, 2) as client:
            executor = client.get_executor(pure=False, resources={ENGINE: 1})
            run_tasks(executor, 200, MOST_AT_ONCE)
            before, ours = core_seconds(scheduler), time.process_time()
            seconds = run_tasks(executor, tasks, MOST_AT_ONCE)
            spent, ours = core_seconds(scheduler) - before, time.process_time() - ours
    print(
        f"{tasks:,} tasks in {seconds:.1f} s: {1000 * seconds / tasks:.3f} ms each,"
        f" {1000 * spent / tasks:.3f} ms of the scheduler's core,"
        f" {1000 * ours / tasks:.3f} ms of the client's"
    )


def remember_names() -> None:
    """Fill, in the scheduler, the cache in which Dask keeps the names of its last tasks."""
    for _ in range(REMEMBERED):
        key_split(f"{answer.__name__}-{uuid4()}")


def measure_memory(folder: Path, tasks: int) -> None:
    """Print the memory of client and scheduler, ten times on the way."""
    with dask_processes(ROOT, folder, workers=0) as cluster:
        cluster.work("--resources", f"{ENGINE}=1", count=2)
        scheduler = cluster.processes[0].pid

        def watch(done: int) -> None:
            if done % FORGET_EVERY == 0:
                client.run_on_scheduler(dask_cleanup.forget)
            if done % (tasks // 10) == 0:
                print(
                    f"{done:,} tasks: client {memory(os.getpid()):.1f} MiB,"
                    f" scheduler {memory(scheduler):.1f} MiB",
                    flush=True,
                )

        with connect(cluster.address, 2) as client:
            executor = client.get_executor(pure=False, resources={ENGINE: 1})
            run_tasks(executor, 200, MOST_AT_ONCE)
            print(f"at first: scheduler {memory(scheduler):.1f} MiB", flush=True)
            client.run_on_scheduler(remember_names)
            run_tasks(executor, tasks, MOST_AT_ONCE, watch=watch)


def measure_crowd(folder: Path, workers: int, seconds: float, rounds: int) -> Crowd:
    """Let a crowd sleep; print what share of it is asleep, and return what the scheduler spent.

    The clock runs from the end of a first round until no new tasks come. There must be more than
    four ``rounds``.
    """
    with dask_processes(ROOT, folder, workers=0) as cluster:
        for first in range(0, workers, TO_A_PROCESS):
            count = min(TO_A_PROCESS, workers - first)
            cluster.start("scripts.measure.sleeping_workers", cluster.address, str(count))
        scheduler = cluster.processes[0].pid
        with connect(cluster.address, workers) as client:
            executor = client.get_executor(pure=False, resources={ENGINE: 1})
            before, at = core_seconds(scheduler), time.perf_counter()
            time.sleep(IDLE_SECONDS)
            idle = (core_seconds(scheduler) - before) / (time.perf_counter() - at)
            tasks, marks = workers * rounds, (workers, workers * (rounds - AHEAD))
            looks: list[tuple[float, float]] = []

            def watch(done: int) -> None:
                if done in marks:
                    looks.append((time.perf_counter(), core_seconds(scheduler)))

            run_tasks(executor, tasks, workers * AHEAD, seconds, watch)
    (begun, before), (ended, after) = looks
    spent, busy, done = ended - begun, after - before, marks[1] - marks[0]
    crowd = Crowd(workers, max(busy - idle * spent, 1e-9) / done, idle)
    print(
        f"{workers:,} workers, tasks of {seconds:g} s: {done / spent:,.1f} tasks a second,"
        f" {done * seconds / spent / workers:.1%} at work\n"
        f"the scheduler: {busy / spent:.1%} of a core, of which {idle:.1%} for idle workers;"
        f" {1000 * crowd.task:.3f} ms a task",
        flush=True,
    )
    return crowd


@command_line("cluster_limits")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print; return the exit status."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(prog="cluster_limits", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("cost", "memory", "crowd"))
    parser.add_argument("--tasks", type=int, help="20,000 for the cost, 200,000 for the memory")
    parser.add_argument("--workers", default="100,500,1000", help="of crowds (%(default)s)")
    parser.add_argument(
        "--rate", type=float, default=50.0, help="their tasks a second (%(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=9, help="tasks for each (%(default)s)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        match options.what:
            case "cost":
                measure_cost(Path(name) / "cluster", options.tasks or 20_000)
            case "memory":
                measure_memory(Path(name) / "cluster", options.tasks or 200_000)
            case _:
                sizes = [int(size) for size in options.workers.split(",")]
                crowds = [
                    measure_crowd(Path(name) / str(size), size, size / options.rate, options.rounds)
                    for size in sizes
                ]
                if len(crowds) > 1:
                    print(*table(line_through(crowds)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
