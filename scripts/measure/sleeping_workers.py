"""Workers of Dask that only sleep, many to a process, as a crowd for a scheduler.

Usage: python -m scripts.measure.sleeping_workers ADDRESS WORKERS
"""

import asyncio
import sys

import dask
from distributed import Worker

from uci.apps.engines.compatibility import ENGINE

QUIET = {
    "distributed.admin.tick.interval": "10s",  # 20 ms, of so many, kept both cores busy
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.system-monitor.interval": "10s",
}


async def sleep_until_the_end(address: str, count: int) -> None:
    """Work for a scheduler until it goes away."""
    starting = (
        Worker(address, nthreads=1, memory_limit=0, resources={ENGINE: 1}, dashboard=False)
        for _ in range(count)
    )
    workers = [await worker for worker in starting]
    await asyncio.gather(*(worker.finished() for worker in workers))


def main() -> None:
    """Run with the words of the command line."""
    _, address, count = sys.argv
    with dask.config.set(QUIET):
        asyncio.run(sleep_until_the_end(address, int(count)))


if __name__ == "__main__":
    main()
