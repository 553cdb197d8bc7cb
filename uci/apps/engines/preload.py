"""What a worker of a cluster does first: ``dask worker ... --preload uci.apps.engines.preload``.

Before it connects to the scheduler, the engine is loaded, or compiled, so that the first task finds
it warm; it states as resources that it has an engine, and which; and Dask's profiler, which looks
at Python a hundred times a second, is left out, since a search is machine code.
"""

from typing import TYPE_CHECKING

from uci.apps.engines.compatibility import ENGINE, facts, fingerprint

if TYPE_CHECKING:
    from distributed import Worker

PROFILER = "profile", "profile-cycle"
"""Dask's names for what its profiler does now and then."""


def dask_setup(worker: "Worker") -> None:
    """Prepare a worker; Dask calls this by its name, before the worker is connected."""
    from uci.session.backend import load

    facts()  # of the sources as they are now, when they are loaded
    load(lambda text: print(f"pythagoras: {text}", flush=True))
    for name in PROFILER:
        if name in worker.periodic_callbacks:
            worker.periodic_callbacks.pop(name).stop()
    for name in ENGINE, fingerprint():
        worker.state.total_resources.setdefault(name, 1)
        worker.state.available_resources.setdefault(name, 1)


def has_engine(dask_worker: "Worker") -> tuple[dict[str, str], dict[str, float]]:
    """Return a worker's facts and resources; Dask names the parameter."""
    return dict(facts()), dict(dask_worker.state.total_resources)
