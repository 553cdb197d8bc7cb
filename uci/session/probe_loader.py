"""Loads or compiles the machine code of the tablebase probes in the background."""

import threading

from uci.session.backend import Notice
from uci.session.loader import Loader

COMPILING = "compiling the tablebase probes for this machine: this happens once"
HIDDEN = "this version of numba cannot probe tablebases during the search; only the root is probed"


class ProbeLoader:
    """Loads the probe code once, after the engine, so that no search waits for it.

    Only the input thread calls its methods.
    """

    def __init__(self, loader: Loader, say: Notice) -> None:
        self._loader = loader
        self._say = say
        self._started = False

    def start(self) -> None:
        """Start loading when the engine is loaded; do nothing on later calls."""
        if not self._started:
            self._started = True
            self._loader.when_done(self._start)

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="probe loader", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # no thread: the next search without a clock loads it
            self._started = False

    def _run(self) -> None:
        from engine.jit import kernel
        from engine.syzygy.probe_entry import is_compiled, load_probe

        if self._loader.backend is None:
            return
        if kernel.COMPILED and not is_compiled():
            self._say(COMPILING)
        if not load_probe():
            self._say(HIDDEN)


def is_loaded() -> bool:
    """Return whether a search can probe tablebases without waiting."""
    from engine.syzygy import probe_entry

    return probe_entry.is_loaded()
