"""Applies the options to the backend."""

import re
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from uci.errors import reason, shorten
from uci.protocol.options import Option, Options
from uci.session.backend import Backend, Notice
from uci.session.loader import Loader

_TOLD = {
    "Hash": "no memory for a hash of {} MiB, its size is {}",
    "Threads": "the system gives no {} threads, {} search",
}
_PATTERNS = {option: re.compile(text.replace("{}", r"(\d+)")) for option, text in _TOLD.items()}


class Shortfall(NamedTuple):
    """The system gave less of an option than was wanted; as text it says so."""

    option: str
    wanted: int
    given: int

    def __str__(self) -> str:
        return _TOLD[self.option].format(self.wanted, self.given)


def read_shortfall(text: str) -> Shortfall | None:
    """Return the shortfall that a message of our engine reports, if it does."""
    for option, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(text):
            return Shortfall(option, *map(int, found.groups()))
    return None


class BackendSettings:
    """Keeps the backend up to date with the options.

    A search calls `prepare` in its thread, the input and a late ``readyok`` call `apply_if_idle`:

    | field | who writes | what protects it |
    | --- | --- | --- |
    | `_given`, `_network`, `_used` | who applies | `_lock` |
    | the backend | who applies, then the worker | `_lock`, and ``busy`` |
    | `_clear` | input; who applies resets it | reset before the work: no request is lost |
    """

    def __init__(
        self,
        loader: Loader,
        options: Options,
        parameters: Sequence[Option],
        busy: Callable[[], bool],
        say: Notice,
    ) -> None:
        """Keep the backend of ``loader`` up to date while it is not ``busy``; ``say`` what fails.

        ``parameters`` are the options that are parameters of the search.
        """
        self._loader = loader
        self._options = options
        self._parameters = parameters
        self._busy = busy
        self._say = say
        self._lock = threading.Lock()
        self._given = {name: options.number(name) for name in _TOLD}
        self._network = options.text("EvalFile")
        self._clear = False
        self._used = False

    def request_clear(self) -> None:
        """Clear the table and the histories before the next search."""
        self._clear = True

    def apply_if_idle(self) -> None:
        """Apply the options, unless a search runs: then the next search does it.

        Nobody's clock runs here, so this is where a table takes its memory.
        """
        if self._busy():  # it may be applying them now: do not wait for that
            return
        with self._lock:
            if self._loader.backend is not None and not self._busy():
                self._apply(self._loader.backend)
                self._loader.backend.prefault()

    def prepare(self, backend: Backend) -> None:
        """Get the backend ready for a search, in the thread that will search."""
        with self._lock:
            self._apply(backend)
            self._used = True

    def _apply(self, backend: Backend) -> None:
        options = self._options
        for name, use in (("Hash", backend.resize), ("Threads", backend.use_threads)):
            wanted = options.number(name)
            if wanted != self._given[name]:
                given = self._given[name] = use(wanted)
                if given != wanted:
                    options.replace(name, wanted, given)
                    self._say(str(Shortfall(name, wanted, given)))
        if self._parameters:
            backend.use_parameters(
                {each.name: options.number(each.name) for each in self._parameters}
            )
        path = options.text("EvalFile")
        if path != self._network:
            try:
                backend.use_network(path)
                self._network = path
            except (OSError, ValueError) as error:
                options.replace("EvalFile", path, self._network)
                self._say(f"cannot use {shorten(path)}, the network stays: {reason(error)}")
        if self._clear:  # after `resize`: a new table need not be cleared
            self._clear = False  # first: another request may come meanwhile
            if self._used:  # clearing fresh memory would cost time on the clock
                backend.clear()
            self._used = False
