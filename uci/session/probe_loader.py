"""Loads the machine code that probes tablebases, or compiles it, in the background."""

import threading

from uci.session.backend import Notice
from uci.session.loader import Loader

COMPILING = "compiling the probe of tablebases for this machine: this happens once"
HIDDEN = "with this numba only the position on the board is probed"


class ProbeLoader:
    """Loads the probe once, after the engine, so that no search has to wait for it.

    Only the input thread calls its methods.
    """

    def __init__(self, loader: Loader, say: Notice) -> None:
        self._loader = loader
        self._say = say
        self._started = False

    def start(self) -> None:
        """Begin to load as soon as the engine is loaded; do nothing if that has been done."""
        if not self._started:
            self._started = True
            self._loader.when_done(self._start)

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="probe loader", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives no thread: a search without a clock loads it
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
