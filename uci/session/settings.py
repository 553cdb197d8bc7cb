"""Applies the options to the backend."""

import re
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from uci.errors import UciError, reason, shorten
from uci.protocol.options import Option, Options
from uci.session.backend import Backend, Notice
from uci.session.hash_file_setting import HashFileSetting
from uci.session.loader import Loader

_TOLD = {
    "Hash": "not enough memory for Hash={} MiB; using {} MiB",
    "Threads": "could not start {} threads; using {}",
}
_PATTERNS = {option: re.compile(text.replace("{}", r"(\d+)")) for option, text in _TOLD.items()}


class Shortfall(NamedTuple):
    """The system provided less of an option than was set; ``str`` gives the message."""

    option: str
    wanted: int
    given: int

    def __str__(self) -> str:
        return _TOLD[self.option].format(self.wanted, self.given)


def read_shortfall(text: str) -> Shortfall | None:
    """Return the shortfall that a message of our engine reports, ``None`` for other messages."""
    for option, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(text):
            return Shortfall(option, *map(int, found.groups()))
    return None


class BackendSettings:
    """Applies the options to the backend.

    A search calls `prepare` in its thread; the input and a late ``readyok`` call `apply_if_idle`.

    | field | written by | protected by |
    | --- | --- | --- |
    | `_given`, `_network`, `_hash_file`, `_used` | the thread that applies options | `_lock` |
    | the backend | the thread that applies options, then the worker | `_lock`, and ``busy`` |
    | `_clear`, `_save` | input; reset when applied | reset before the work, so no request is lost |
    """

    def __init__(
        self,
        loader: Loader,
        options: Options,
        parameters: Sequence[Option],
        busy: Callable[[], bool],
        say: Notice,
    ) -> None:
        """Keep the backend of ``loader`` up to date while it is not ``busy``; ``say`` failures.

        ``parameters`` are the options that set search parameters.
        """
        self._loader = loader
        self._options = options
        self._parameters = parameters
        self._busy = busy
        self._say = say
        self._lock = threading.Lock()
        self._given = {name: options.number(name) for name in _TOLD}
        self._network = options.text("EvalFile")
        self._hash_file = HashFileSetting(options, say)
        self._clear = self._save = False
        self._used = False

    @property
    def has_hash_file(self) -> bool:
        """Whether `finish` may have a hash file to save."""
        return self._hash_file.is_set

    def request_clear(self) -> None:
        """Clear the table and the histories before the next search."""
        self._clear = True

    def request_new_game(self) -> None:
        """Clear table and histories before the next search, unless a hash file is set."""
        if not self.has_hash_file:
            self._clear = True

    def request_save(self) -> None:
        """Save the hash file when no search runs. Raises `UciError` if none is set."""
        if not self.has_hash_file:
            raise UciError("Save Hash: set Hash File first")
        self._save = True

    def apply_if_idle(self) -> None:
        """Apply the options, unless a search runs: then the next search applies them.

        No clock runs here, so this is also where a new table's memory is faulted in.
        """
        if self._busy():  # the search may be applying them now: do not wait
            return
        with self._lock:
            if self._loader.backend is not None and not self._busy():
                self._apply(self._loader.backend)
                self._loader.backend.searcher.prefault()

    def prepare(self, backend: Backend) -> None:
        """Prepare the backend for a search, in the search's thread."""
        with self._lock:
            self._apply(backend)
            self._used = self._hash_file.unsaved = True

    def finish(self) -> None:
        """Save the hash file, after the last search."""
        backend = self._loader.backend
        if backend is not None and self.has_hash_file:
            with self._lock:
                self._apply_hash_file(backend)
                self._hash_file.save(backend)

    def _apply(self, backend: Backend) -> None:
        options, searcher = self._options, backend.searcher
        if emptied := self._empties_table():
            self._hash_file.save(backend)
        for name, use in (("Hash", searcher.resize), ("Threads", searcher.use_threads)):
            wanted = options.number(name)
            if wanted != self._given[name]:
                given = self._given[name] = use(wanted)
                if given != wanted:
                    options.replace(name, wanted, given)
                    self._say(str(Shortfall(name, wanted, given)))
        if self._parameters:
            searcher.use_parameters(
                {each.name: options.number(each.name) for each in self._parameters}
            )
        path = options.text("EvalFile")
        if path != self._network:
            try:
                backend.use_network(path)
                self._network = path
            except (OSError, ValueError) as error:
                options.replace("EvalFile", path, self._network)
                self._say(
                    f"could not load network {shorten(path)}: {reason(error)};"
                    " keeping the current one"
                )
        if self._clear:  # after `resize`: a new table is already clear
            self._clear = False  # reset first, so that a new request during the work is kept
            if self._used:  # do not spend the clock on clearing fresh memory
                searcher.clear()
            self._used = self._hash_file.unsaved = False
        self._apply_hash_file(backend, emptied)

    def _empties_table(self) -> bool:
        """Return whether the options will replace or clear the table."""
        given = any(self._options.number(name) != self._given[name] for name in _TOLD)
        return given or self._options.text("EvalFile") != self._network

    def _apply_hash_file(self, backend: Backend, emptied: bool = False) -> None:
        """Save and load the hash file as the options say; load it if the table was ``emptied``."""
        hash_file = self._hash_file
        if self._save or hash_file.changed:
            self._save = False
            hash_file.save(backend)
        if emptied or hash_file.changed:
            self._used |= hash_file.use(backend, self._used, emptied)
