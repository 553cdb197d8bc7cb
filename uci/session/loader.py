"""Loads the backend in a thread of its own."""

import threading
from collections.abc import Callable, Sequence
from importlib import import_module

from engine.jit.gc_pauses import collecting_rarely
from uci.session.backend import Backend, Notice, load

FALLBACK = "engine failed to load; using the slow fallback search"
"""Start of the message after which the fallback search plays."""


class Loader:
    """Calls `load` in the background; `backend` is ``None`` until it has succeeded.

    A lock protects the notices, their listener and the callbacks. The backend is assigned once,
    before the event `done`. Only the input thread uses `load` and `started`. ``preload`` names
    modules to import first because the first `go` needs them.
    """

    def __init__(
        self, load: Callable[[Notice], Backend] = load, preload: Sequence[str] = ()
    ) -> None:
        self.backend: Backend | None = None
        self.error: Exception | None = None
        self.done = threading.Event()
        self.load: Callable[..., Backend] = load
        self.evaluation = ""
        """The name of a user's own evaluation that the engine plays with."""
        self._preload = preload
        self.started = False
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], None]] = []
        self._notices: list[str] = []
        self._listener: Notice | None = None

    def start(self) -> None:
        """Start the loader's thread; if none can be started, load before returning."""
        self.started = True
        try:
            threading.Thread(target=self._run, name="loader", daemon=True).start()
        except RuntimeError:
            self._run()

    def listen(self, listener: Notice) -> None:
        """Send all notices to ``listener``, including earlier ones."""
        with self._lock:
            self._listener = listener
            notices, self._notices = self._notices, []
        for text in notices:
            listener(text)

    def when_done(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` when loading has ended or failed; at once if it already has."""
        with self._lock:
            if not self.done.is_set():
                self._waiting.append(callback)
                return
        callback()

    def _run(self) -> None:
        try:
            with collecting_rarely():
                for name in self._preload:
                    import_module(name)
                self.backend = self.load(self._notice)
        except Exception as error:  # noqa: BLE001  (the fallback search still plays)
            self.error = error
            reason = f"{type(error).__name__}: {error}"
            self._notice(f"{FALLBACK}: {reason}")
        with self._lock:
            self.done.set()
            waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback()

    def _notice(self, text: str) -> None:
        with self._lock:
            if self._listener is None:
                self._notices.append(text)
                return
            listener = self._listener
        listener(text)
