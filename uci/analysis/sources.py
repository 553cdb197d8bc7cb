"""Files of games and the standard input: how they are opened, and where their games go."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.files import open_file
from uci.analysis.outputs import Outputs, Place
from uci.protocol.commands import UciError, shorten

INPUT = "-"
"""The name of the standard input."""


@dataclass(frozen=True, slots=True)
class Source:
    """Games from ``path``, or from the standard input where it is None.

    They go to a place, with a page if ``html``, or to the standard output where that is None; with
    ``json_to_output`` the document goes there, and PGN nowhere but to a place.
    """

    name: str
    path: Path | None
    place: Place | None
    json_to_output: bool
    html: bool

    @property
    def written(self) -> str:
        """What was written, for a message."""
        return f"; written to {self.place.pgn}" if self.place else ""

    @property
    def has_records(self) -> bool:
        """Whether work on its games was broken off, and can go on."""
        return self.place is not None and len(self.place.journal) > 0

    @contextlib.contextmanager
    def open(self) -> Iterator[tuple[IO[bytes], Outputs]]:
        """Give the games as a stream, and what they are written to. Raises `OSError`."""
        output = sys.stdout.buffer
        with contextlib.ExitStack() as stack:
            stream = stack.enter_context(open_file(self.path)) if self.path else sys.stdin.buffer
            if self.place:
                json = output if self.json_to_output else None
                outputs = stack.enter_context(self.place.open(json, self.html))
            elif self.json_to_output:
                outputs = Outputs(None, output)
            else:
                outputs = Outputs(output, None)
            yield stream, outputs
            output.flush()


def find_sources(
    names: Sequence[str], folder: Path | None, json_to_output: bool, html: bool, force: bool
) -> list[Source]:
    """Return the sources by their names, their games to be written to ``folder`` or beside them.

    Raises `UciError` for one that cannot be read or written: before the work, which is long.
    """
    sources: list[Source] = []
    for name in names:
        path = None if name == INPUT else Path(name)
        place = None
        if path or folder:
            stem = path.stem if path else "input"
            place = Place(folder or (path or Path()).parent, stem)
        if place and any(place == other.place for other in sources):
            raise UciError(f"{place.pgn} would hold the games of two files: -o names a folder")
        if names.count(INPUT) > 1:
            raise UciError("the standard input can be read once")
        sources.append(Source(name if path else "input", path, place, json_to_output, html))
        try:
            if path:
                open_file(path).close()
            if place:
                place.check(not json_to_output, force, html)
        except OSError as error:
            raise UciError(f"{shorten(str(error.filename or name))}: {error.strerror}") from None
    return sources
