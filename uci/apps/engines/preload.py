"""The preload module of a cluster's workers: ``dask worker ... --preload
uci.apps.engines.preload``.

Before a worker connects to the scheduler, it loads or compiles the engine, so that the first task
starts at once. It declares as resources that it has an engine, and which one. It turns off Dask's
profiler, which samples Python code a hundred times a second: a search is machine code.
"""

from typing import TYPE_CHECKING

from uci.apps.engines.compatibility import ENGINE, facts, fingerprint

if TYPE_CHECKING:
    from distributed import Worker

PROFILER = "profile", "profile-cycle"
"""Dask's names of the profiler's periodic callbacks."""


def dask_setup(worker: "Worker") -> None:
    """Prepare a worker; Dask calls it by this name, before the worker connects."""
    from uci.session.backend import load

    facts()  # computed now, before the sources on disk can change
    load(lambda text: print(f"pythagoras: {text}", flush=True))
    for name in PROFILER:
        if name in worker.periodic_callbacks:
            worker.periodic_callbacks.pop(name).stop()
    for name in ENGINE, fingerprint():
        worker.state.total_resources.setdefault(name, 1)
        worker.state.available_resources.setdefault(name, 1)


def has_engine(dask_worker: "Worker") -> tuple[dict[str, str], dict[str, float]]:
    """Return a worker's facts and resources; Dask sets the parameter by its name."""
    return dict(facts()), dict(dask_worker.state.total_resources)
