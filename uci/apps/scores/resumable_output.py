"""An output file that is written line by line, and can be resumed.

Until it is complete, the folder ``OUT.part`` has its ``lines`` so far, and in ``settings.json``
the settings on which they depend: the same command resumes there. The last complete line is dropped
and made again, which shows whether the input is still the same.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from engine.file_lock import locked
from engine.files import replace_file
from uci.apps.console.output_file import check_target
from uci.errors import UciError, shorten

BLOCK = 1 << 20
"""Bytes that are read at a time."""


class ResumableOutput:
    """The file ``target``, for work that depends on ``settings``."""

    def __init__(self, target: Path, settings: Mapping[str, object], force: bool) -> None:
        """Raise `UciError` if the file cannot be written, or exists and ``force`` is false."""
        check_target(target, force)
        self._target = target
        self._part = target.with_name(f"{target.name}.part")
        self._lines, self._settings = self._part / "lines", self._part / "settings.json"
        self._text = json.dumps(settings, indent=1)
        self._force = force
        self.known = 0
        """Whole lines of earlier work that stay."""
        self._expected = b""
        self._written = 0

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Yield the stream to append to; at the end, move the file to its place.

        Raises `UciError` if another process writes it, or the lines so far have other settings; and
        `OSError`.
        """
        self._part.mkdir(exist_ok=True)
        with locked(self._part / "lock", wait=False, mode=0o666) as alone:
            if not alone:
                raise UciError(f"another process writes {shorten(str(self._target))}")
            self._resume()
            try:
                with self._lines.open("ab") as stream:
                    yield stream
                    self.check(b"")  # fails if the input ended before the line to be made again
                    stream.flush()
                    os.fsync(stream.fileno())
            except BaseException:
                if self._written <= 1:  # at most a heading
                    shutil.rmtree(self._part, ignore_errors=True)
                raise
            self._lines.replace(self._target)
        shutil.rmtree(self._part, ignore_errors=True)

    def check(self, line: bytes) -> None:
        """Raise `UciError` if the line that is made again differs from the dropped one."""
        self._written += bool(line)
        expected, self._expected = self._expected, b""
        if expected and line != expected:
            raise UciError(
                f"the input does not continue what {shorten(str(self._part))} holds:"
                " --force starts again"
            )

    def _resume(self) -> None:
        """Count the known lines; drop an incomplete line and the last complete one."""
        try:
            same = self._settings.read_text(encoding="utf-8") == self._text
        except (OSError, ValueError):
            same = False
        if not same:
            if self._lines.exists() and self._lines.stat().st_size and not self._force:
                raise UciError(
                    f"{shorten(str(self._part))} was begun with another engine or other settings:"
                    " --force starts again"
                )
            self._lines.unlink(missing_ok=True)
            replace_file(self._settings, self._text.encode())
        with self._lines.open("a+b") as file:
            self._written, start, end = _count(file)
            file.seek(start)
            self._expected = file.read(end - start)
            file.truncate(start)
        self.known = self._written - bool(self._expected)


def _count(file: IO[bytes]) -> tuple[int, int, int]:
    """Return the number of complete lines, and where the last of them begins and ends."""
    file.seek(0)
    lines = start = end = offset = 0
    while block := file.read(BLOCK):
        found = block.count(b"\n")
        if found:
            last = block.rindex(b"\n")
            before = block.rfind(b"\n", 0, last)
            start = end if before < 0 else offset + before + 1
            end = offset + last + 1
        lines += found
        offset += len(block)
    return lines, start, end
