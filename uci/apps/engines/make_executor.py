"""Creates the executor of a command: engines on this machine, or the workers of a cluster."""

from collections.abc import Callable
from importlib.util import find_spec

from uci.apps.console.extras import missing
from uci.apps.engines.executor import TaskExecutor
from uci.apps.engines.scheduler import Scheduler
from uci.errors import UciError


def make_executor(
    jobs: int, scheduler: Scheduler | None, say: Callable[[str], None]
) -> TaskExecutor:
    """Return an executor of ``jobs`` engines on this machine, or of a scheduler's workers.

    ``say`` gets a message, from any thread, for workers without tasks. Raises `UciError`.
    """
    if scheduler is None:
        from uci.apps.engines.thread_pool import ThreadPool

        return ThreadPool(jobs)
    if find_spec("distributed") is None:
        raise UciError(f"--scheduler: {missing('Dask', 'cluster')}")
    from uci.apps.engines.dask_workers import DaskWorkers

    return DaskWorkers(scheduler, say)
