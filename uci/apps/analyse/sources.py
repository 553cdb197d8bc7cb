"""Files of games and the standard input: how they are opened, and where their games go."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from uci.apps.analyse.outputs import Outputs, Place
from uci.chess_io.compressed import decompressed, open_text, stem_of
from uci.errors import UciError, shorten

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
    def report(self) -> Path | None:
        """The HTML report that was written, if any."""
        return self.place.html if self.place and self.html else None

    @property
    def has_records(self) -> bool:
        """Whether work on its games was broken off, and can go on."""
        return self.place is not None and len(self.place.journal) > 0

    def is_finished(self, opening: Callable[[str], str]) -> bool:
        """Return whether its games were analysed after it was changed: see `find_sources`."""
        return (
            self.path is not None
            and self.place is not None
            and self.place.holds(opening(self.path.name), self.html, self.path.stat().st_mtime)
        )

    @contextlib.contextmanager
    def open(self) -> Iterator[tuple[IO[bytes], Outputs]]:
        """Give the games as a stream, and what they are written to. Raises `OSError`."""
        output = sys.stdout.buffer
        with contextlib.ExitStack() as stack:
            stream = stack.enter_context(open_text(self.path)) if self.path else _standard_input()
            if self.place:
                json = output if self.json_to_output else None
                outputs = stack.enter_context(self.place.open(json, self.html))
            elif self.json_to_output:
                outputs = Outputs(None, output)
            else:
                outputs = Outputs(output, None)
            yield stream, outputs
            output.flush()


def _standard_input() -> IO[bytes]:
    """Return the standard input, decompressed. Raises `UciError`."""
    try:
        return decompressed(sys.stdin.buffer)
    except OSError as error:
        raise UciError(f"{INPUT}: {error.strerror}") from None


def find_sources(
    names: Sequence[str], folder: Path | None, json_to_output: bool, html: bool, force: bool,
    opening: Callable[[str], str],
) -> tuple[list[Source], list[Source]]:  # fmt: skip
    """Return the sources by their names, their games to be written to ``folder`` or beside them.

    Apart from them those that need no more work, where others do: whose document begins as
    ``opening`` has it for a name, and is younger than they are. Raises `UciError` for one that
    cannot be read or written: before the work, which is long.
    """
    sources: list[Source] = []
    finished: list[Source] = []
    refused: list[UciError] = []
    if json_to_output and len(names) > 1:
        raise UciError("--json - takes the games of one file: more would be several documents")
    for name in names:
        path = None if name == INPUT else Path(name)
        place = None
        if path or folder:
            stem = stem_of(path) if path else "input"
            place = Place(folder or (path or Path()).parent, stem)
        if place and any(place == other.place for other in (*sources, *finished)):
            raise UciError(f"{place.pgn} would hold the games of two files: -o names a folder")
        if names.count(INPUT) > 1:
            raise UciError("the standard input can be read once")
        source = Source(name if path else "input", path, place, json_to_output, html)
        try:
            if path:
                open_text(path).close()
            if place:
                place.check(not json_to_output, force, html)
            sources.append(source)
        except OSError as error:
            raise UciError(f"{shorten(str(error.filename or name))}: {error.strerror}") from None
        except UciError as error:
            if not source.is_finished(opening):
                raise
            finished.append(source)
            refused.append(error)
    if refused and not sources:
        raise refused[0]
    return sources, finished
