"""Finds who works for a command: processes of this machine, or the workers of a cluster."""

from collections.abc import Callable
from importlib.util import find_spec

from uci.cluster.scheduler import Scheduler
from uci.cluster.workforce import Workforce
from uci.protocol.commands import UciError
from uci.protocol.installation import missing

MOST_JOBS = 512
"""Processes that a command may have on this machine."""


def hire(jobs: int, scheduler: Scheduler | None, say: Callable[[str], None]) -> Workforce:
    """Return ``jobs`` processes of this machine, or the workers of a scheduler.

    ``say`` is told, from any thread, which of these get no work. Raises `UciError`.
    """
    if scheduler is None:
        from uci.cluster.process_pool import ProcessPool

        return ProcessPool(jobs)
    if find_spec("distributed") is None:
        raise UciError(f"--scheduler: {missing('Dask', 'cluster')}")
    from uci.cluster.dask_workers import DaskWorkers

    return DaskWorkers(scheduler, say)
