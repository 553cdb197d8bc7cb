"""The output files of analysed games, replaced atomically when all is done, or standard output.

Until then drafts and records are in a folder next to them, ``NAME.analysis.part``.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.file_lock import locked
from engine.files import open_file, open_new, replace_file_in_parts
from uci.apps.analyse.journal import Journal
from uci.errors import UciError


@dataclass(frozen=True, slots=True)
class Outputs:
    """Output streams for PGN, JSON and the report, or None; and the journal of saved analyses."""

    pgn: IO[bytes] | None
    json: IO[bytes] | None
    html: IO[bytes] | None = None
    journal: Journal | None = None


def write_text(stream: IO[bytes] | None, text: str) -> None:
    """Write to a stream, unless it is None. Raises `OSError`."""
    if stream is not None:
        with _named("standard output"):
            stream.write(text.encode(errors="replace"))


@contextlib.contextmanager
def _named(path: Path | str) -> Iterator[None]:
    """Add the file name to errors of an open file, which do not have it."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def in_parts(file: IO[bytes]) -> Iterable[bytes]:
    """Return the parts of a file from its beginning, 1 MiB each."""
    file.seek(0)
    return iter(lambda: file.read(1 << 20), b"")


def _move(draft: Path, path: Path) -> None:
    """Replace the file ``path`` by ``draft``, which may be on another file system."""
    try:
        draft.replace(path)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with open_file(draft) as file:
            replace_file_in_parts(path, in_parts(file))
        draft.unlink()


@dataclass(frozen=True, slots=True)
class Place:
    """The files for the games of one source, called ``name`` in ``folder``.

    The JSON document may be another file, ``document``.
    """

    folder: Path
    name: str
    document: Path | None = None

    @property
    def pgn(self) -> Path:
        """The games as PGN."""
        return self.folder / f"{self.name}.analysed.pgn"

    @property
    def json(self) -> Path:
        """The JSON document."""
        return self.document or self.folder / f"{self.name}.analysis.json"

    @property
    def html(self) -> Path:
        """The HTML report."""
        return self.folder / f"{self.name}.html"

    @property
    def part(self) -> Path:
        """The folder of drafts and records, until all is done."""
        return self.folder / f"{self.name}.analysis.part"

    @property
    def journal(self) -> Journal:
        """The saved analyses of stopped work."""
        return Journal(self.part / "records")

    @property
    def finishing(self) -> Path:
        """A marker file: the drafts are complete, and are being moved to their places."""
        return self.part / "finishing"

    def files(self, json: bool, html: bool) -> dict[str, Path]:
        """Return the files to be written, by kind."""
        more = {"json": self.json} if json else {}
        return {"pgn": self.pgn} | more | ({"html": self.html} if html else {})

    def check(self, json: bool, force: bool, html: bool = False) -> None:
        """Raise `UciError` for an existing file that may not be replaced."""
        for path in self.files(json, html).values():
            if path.exists() and not force and not self.finishing.exists():
                raise UciError(f"{path} already exists; use --force to replace it")

    def holds(self, opening: str, html: bool, since: float) -> bool:
        """Return whether the files exist, are newer than ``since``, and begin with ``opening``.

        ``opening`` is the start of the document; ``since`` is when the source was changed, in
        seconds since 1970.
        """
        wanted = opening.encode(errors="replace")
        try:
            with open_file(self.json) as file:
                same = file.read(len(wanted)) == wanted
            return same and all(
                path.stat().st_mtime >= since for path in self.files(json=True, html=html).values()
            )
        except OSError:
            return False

    @contextlib.contextmanager
    def open(self, json: IO[bytes] | None, html: bool = False) -> Iterator[Outputs]:
        """Yield the drafts, and move them to their places at the end; ``json`` replaces the JSON
        draft.

        Without any analysed game they are not moved, so that another selection of games may follow.
        Raises `UciError` if another process works on them, and `OSError`.
        """
        self.part.mkdir(parents=True, exist_ok=True)
        journal = self.journal
        files = self.files(json is None, html)
        with self._alone(), contextlib.ExitStack() as stack:
            drafts = {kind: self.part / kind for kind in files}
            streams = {kind: stack.enter_context(open_new(path)) for kind, path in drafts.items()}
            try:
                own_json = streams.get("json", json)
                yield Outputs(streams["pgn"], own_json, streams.get("html"), journal)
            except BaseException:
                self._tidy(journal)
                raise
            if not streams["pgn"].tell():
                self._tidy(journal)
                return
            for kind, stream in streams.items():
                with _named(files[kind]):
                    stream.flush()
                    os.fsync(stream.fileno())
                    stream.close()
            self.finishing.touch()
            for kind, path in files.items():
                _move(drafts[kind], path)
            # Before the folder: with the marker left, a later run would replace the finished files.
            self.finishing.unlink()
            shutil.rmtree(self.part, ignore_errors=True)

    def _tidy(self, journal: Journal) -> None:
        """Remove the drafts, unless there are records to resume from."""
        if not len(journal):
            shutil.rmtree(self.part, ignore_errors=True)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock until the folder is removed, or kept."""
        lock = self.part / "lock"
        try:
            with locked(lock, wait=False, mode=0o666) as alone:
                if not alone or not lock.exists():  # missing: another process has just finished
                    raise UciError(f"another process is writing {self.pgn}")
                yield
        finally:
            if os.name == "nt":  # Windows removes the lock only once no process has it open
                with contextlib.suppress(OSError):
                    if not self.journal.keys():
                        lock.unlink()
                        self.part.rmdir()
