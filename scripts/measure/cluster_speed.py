"""Measure how much of a pool's speed is left when a cluster on this machine does its work.

Usage: python -m scripts.measure.cluster_speed [--games 10] [--nodes 200000] [--jobs 1,2], on an
idle machine. In turn, game by game, a pool of engines and as many workers of a Dask scheduler
look at the same weak games, which must show them the same. All have looked at a game before the
clock starts. The ratio is what counts.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from time import perf_counter

from scripts.match.builds import ROOT
from scripts.match.command_line import command_line
from scripts.measure.analysis_speed import OPTIONS, make_games, trees
from scripts.measure.dask_processes import dask_processes
from uci.apps.analyse.analyst import Look
from uci.apps.analyse.parallel import GameToLookAt, look_at
from uci.apps.engines.dask_workers import DaskWorkers
from uci.apps.engines.executor import Workforce
from uci.apps.engines.scheduler import Scheduler
from uci.apps.engines.thread_pool import ThreadPool


def seconds_of(
    workforce: Workforce, games: Sequence[GameToLookAt], go: str
) -> tuple[list[list[Look]], float]:
    """Return what a workforce sees in the games, and the seconds that it takes."""
    start = perf_counter()
    seen = [looks for _, looks in look_at(games, go, workforce, OPTIONS)]
    return seen, perf_counter() - start


def compare(
    games: Sequence[GameToLookAt], go: str, pool: Workforce, workers: Workforce
) -> tuple[float, float]:
    """Return the nodes per second of a pool and of workers. Raises `ValueError` if they differ.

    They take turns game by game, and in who is first, since the speed of a machine wanders.
    """
    nodes, seconds = 0, {pool: 0.0, workers: 0.0}
    for number, game in enumerate(games):
        seen = {}
        for each in (pool, workers) if number % 2 == 0 else (workers, pool):
            looks, spent = seconds_of(each, [game], go)
            seen[each] = looks
            seconds[each] += spent
        if trees(chain(*seen[pool])) != trees(chain(*seen[workers])):
            raise ValueError("the pool and the cluster have not searched the same trees")
        nodes += sum(look.nodes for looks in seen[pool] for look in looks)
    return nodes / seconds[pool], nodes / seconds[workers]


@command_line("cluster_speed")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the ratios; return the exit status."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(prog="cluster_speed", description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10, help="of 80 plies (%(default)s)")
    parser.add_argument("--nodes", type=int, default=200_000, help="a position (%(default)s)")
    parser.add_argument("--jobs", default="1,2", help="processes, and workers (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    options = parser.parse_args(arguments)
    games, go = make_games(options.games, 1), f"nodes {options.nodes}"
    for jobs in map(int, options.jobs.split(",")):
        ratios = []
        with (
            tempfile.TemporaryDirectory() as folder,
            dask_processes(ROOT, Path(folder) / "cluster", workers=jobs) as cluster,
            ThreadPool(jobs) as pool,
            DaskWorkers(Scheduler(cluster.address), print) as workers,
        ):
            while workers.size < jobs:
                compare(games[:1], "nodes 10", pool, workers)
            compare(games[:1], "nodes 1000", pool, workers)
            for number in range(options.rounds):
                here, there = compare(games, go, pool, workers)
                ratios.append(there / here)
                print(
                    f"{jobs} at work, round {number + 1} of {options.rounds}: {here:,.0f} nodes a"
                    f" second by the pool, {there:,.0f} by the cluster: {there / here:.3f}",
                    flush=True,
                )
        print(f"{jobs} at work: median {statistics.median(ratios):.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
