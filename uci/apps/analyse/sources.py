"""PGN files and standard input: how they are opened, and where the results go."""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.files import replace_file_in_parts
from uci.apps.analyse.outputs import Outputs, Place, in_parts
from uci.apps.console.arguments import STREAM
from uci.apps.console.output_file import check_json_target
from uci.chess_io.compressed import decompressed, open_text, stem_of
from uci.errors import UciError, named_errors, shorten


@dataclass(frozen=True, slots=True)
class Source:
    """Games from ``path``, or from standard input if it is None.

    The results go to ``place``, with a report if ``html``; without a place, PGN goes to standard
    output. ``json`` is the file of the document, by default in ``place``; `STREAM` writes it to
    standard output, without PGN there.
    """

    name: str
    path: Path | None
    place: Place | None
    json: str | None
    html: bool

    @property
    def written(self) -> str:
        """A message on the file that was written."""
        return f"; written to {self.place.pgn}" if self.place else ""

    @property
    def report(self) -> Path | None:
        """The HTML report that was written, if any."""
        return self.place.html if self.place and self.html else None

    @property
    def has_records(self) -> bool:
        """Whether stopped work on its games can be resumed."""
        return self.place is not None and len(self.place.journal) > 0

    def is_finished(self, opening: Callable[[str], str]) -> bool:
        """Return whether its games were analysed after its last change: see `find_sources`."""
        return (
            self.path is not None
            and self.place is not None
            and self.place.holds(opening(self.path.name), self.html, self.path.stat().st_mtime)
        )

    @contextlib.contextmanager
    def open(self) -> Iterator[tuple[IO[bytes], Outputs]]:
        """Yield the games as a stream, and the outputs. Raises `OSError`."""
        output = sys.stdout.buffer
        with contextlib.ExitStack() as stack:
            stream = stack.enter_context(open_text(self.path)) if self.path else _standard_input()
            if self.place:
                json = output if self.json == STREAM else None
                outputs = stack.enter_context(self.place.open(json, self.html))
            elif self.json == STREAM:
                outputs = Outputs(None, output)
            elif self.json:
                outputs = Outputs(output, stack.enter_context(_draft_of(Path(self.json))))
            else:
                outputs = Outputs(output, None)
            yield stream, outputs
            output.flush()


@contextlib.contextmanager
def _draft_of(path: Path) -> Iterator[IO[bytes]]:
    """Yield a temporary file; at the end its content, if any, replaces the file ``path``."""
    with tempfile.TemporaryFile() as draft:
        yield draft
        if draft.tell():
            replace_file_in_parts(path, in_parts(draft))


def _standard_input() -> IO[bytes]:
    """Return the standard input, decompressed. Raises `UciError`."""
    with named_errors(STREAM):
        return decompressed(sys.stdin.buffer)


def find_sources(
    names: Sequence[str], folder: Path | None, json: str | None, html: bool, force: bool,
    opening: Callable[[str], str],
) -> tuple[list[Source], list[Source]]:  # fmt: skip
    """Return the sources to analyse, and those that are finished; outputs go to ``folder``, or next
    to them.

    A source is finished if its document begins with ``opening(name)`` and is newer, and other
    sources still need work. Raises `UciError` before the long work if a source cannot be read or an
    output cannot be written.
    """
    sources: list[Source] = []
    finished: list[Source] = []
    refused: list[UciError] = []
    document = None if json in (None, STREAM) else Path(json)
    if json and len(names) > 1:
        raise UciError(f"--json {json} requires exactly one file of games")
    for name in names:
        path = None if name == STREAM else Path(name)
        place = None
        if path or folder:
            stem = stem_of(path) if path else "input"
            place = Place(folder or (path or Path()).parent, stem, document)
        if document:
            others = (path, *((place.pgn, place.html) if place else ()))
            if any(each and each.resolve() == document.resolve() for each in others):
                raise UciError(f"--json {json}: the games or other results are in this file")
            check_json_target(json, force or place is not None)
        if place and any(place == other.place for other in (*sources, *finished)):
            raise UciError(f"{place.pgn} would be written twice; use -o for one of the files")
        if names.count(STREAM) > 1:
            raise UciError("-: standard input can be given only once")
        source = Source(name if path else "input", path, place, json, html)
        try:
            if path:
                open_text(path).close()
            if place:
                place.check(json != STREAM, force, html)
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
