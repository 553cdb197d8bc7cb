"""The option `Hash File`: a hash table that survives the end of the process."""

from pathlib import Path

from uci.errors import reason, shorten
from uci.protocol.options import Options
from uci.session.backend import Backend, Notice


class HashFileSetting:
    """Loads the hash file when the option is set, and saves it again.

    Nothing is saved unless a search has changed the table since it was loaded, saved or cleared.
    The owner's lock protects all of it.
    """

    def __init__(self, options: Options, say: Notice) -> None:
        self._options = options
        self._say = say
        self._path = ""
        self._file = Path()
        self.unsaved = False
        """Whether the table has results that are in no file."""

    @property
    def is_set(self) -> bool:
        """Whether a file is in use, or will be when the option is applied."""
        return bool(self._path or self._options.text("Hash File"))

    @property
    def changed(self) -> bool:
        """Whether the option has a new value."""
        return self._options.text("Hash File") != self._path

    def save(self, backend: Backend) -> None:
        """Save the table to the file in use, if there is anything to save."""
        if not (self._path and self.unsaved):
            return
        try:
            count = backend.save_hash(self._file)
        except (OSError, ValueError, MemoryError) as error:
            self._say(f"could not save hash file {shorten(self._path)}: {reason(error)}")
        else:
            self.unsaved = False
            self._say(f"saved hash file {shorten(self._path)}: {count:,} entries")

    def use(self, backend: Backend, used: bool, emptied: bool) -> bool:
        """Load the option's file, if it exists; return whether it was loaded.

        A file that does not exist gets the present table, if a search has ``used`` it. If loading
        fails, the previous file stays in use, unless the table was ``emptied`` since: then none is,
        so that the rest of it does not replace a file.
        """
        path, previous = self._options.text("Hash File"), "" if emptied else self._path
        try:
            file, count = backend.load_hash(path) if path else (Path(), None)
        except (OSError, ValueError, MemoryError) as error:
            self._path = previous
            self._options.replace("Hash File", path, previous)
            self._say(f"could not load hash file {shorten(path)}: {reason(error)}")
            return False
        self._path, self._file = path, file
        if count is not None:
            self.unsaved = False
            self._say(f"loaded hash file {shorten(path)}: {count:,} entries")
        elif path:
            self.unsaved = used
            self._say(f"hash file {shorten(path)} does not exist yet; quit creates it")
        return count is not None
