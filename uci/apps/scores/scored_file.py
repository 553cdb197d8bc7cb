"""Scores the positions of a file in batches, and writes a line for each, in their order."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from typing import IO

from uci.apps.engines.batch_engine import score_lines
from uci.apps.engines.executor import TaskExecutor, TaskLost, in_order, wait_for
from uci.apps.engines.scored_records import ScoreRecord
from uci.apps.games.position_lines import PositionLine, open_positions, position_lines
from uci.apps.scores.record_formats import Head, RecordFormat
from uci.apps.scores.resumable_output import ResumableOutput
from uci.apps.scores.scores_progress import ScoresProgress
from uci.chess_io.encodings import Encoding
from uci.errors import UciError, named_errors, printable, shorten

NODES_PER_BATCH, MOST_IN_BATCH = 500_000, 500
"""A batch takes about a second: see `batch_size`."""

DEPTH_BATCH = 16
"""Positions of a batch where the limit is a depth: how long those take is unknown."""

Write = Callable[[str], None]


class ScoredFile:
    """A file of positions, ``limit`` and ``hash_mb`` of their searches, and their executor."""

    def __init__(
        self,
        name: str,
        limit: tuple[str, int],
        hash_mb: int,
        executor: TaskExecutor,
        progress: ScoresProgress,
    ) -> None:
        self._name, self._limit, self._hash_mb = name, limit, hash_mb
        self._executor, self._progress = executor, progress

    def write(self, format_: RecordFormat, head: Head, write: Write, known: int) -> None:
        """Write the lines of a format, without those that are ``known``.

        Raises `UciError` for a file that cannot be read or holds no position.
        """
        first = format_.head(head)
        skipped = max(0, known - bool(first))
        found = skipped
        with self._opened() as stream:
            if first and not known:
                write(first)
            lines = islice(self._lines(stream), skipped, None)
            for line, record in self._records(lines, format_.san):
                found += 1
                self._count(line, record)
                write(format_.row(line, record))
        if not found:
            raise UciError(f"{shorten(self._name)}: no positions")

    def _opened(self) -> AbstractContextManager[IO[bytes]]:
        with named_errors(self._name):
            return open_positions(self._name)

    def _lines(self, stream: IO[bytes]) -> Iterator[PositionLine]:
        def report(encoding: Encoding) -> None:
            self._progress.note(printable(f"{self._name}: {encoding}"))

        with named_errors(self._name):
            yield from position_lines(stream, report)

    def _records(
        self, lines: Iterator[PositionLine], san: bool
    ) -> Iterator[tuple[PositionLine, ScoreRecord]]:
        calls = (
            (batch, partial(self._submit, [line.text for line in batch], san))
            for batch in batches(lines, batch_size(self._limit))
        )
        for batch, future in in_order(self._executor, calls):
            try:
                records = future.result()
            except TaskLost:  # one of the lines crashes every engine: find it
                records = [self._alone(line.text, san) for line in batch]
            yield from zip(batch, records, strict=True)

    def _submit(self, texts: Sequence[str], san: bool) -> Future[list[ScoreRecord]]:
        return self._executor.submit(score_lines, self._limit, self._hash_mb, texts, san)

    def _alone(self, text: str, san: bool) -> ScoreRecord:
        """Return the record of one line, with an error if the line crashes every engine."""
        try:
            [record] = wait_for(self._submit([text], san)).result()
        except TaskLost as error:
            return {"error": f"given up: {error}"}
        return record

    def _count(self, line: PositionLine, record: ScoreRecord) -> None:
        if "error" in record:
            self._progress.refused(printable(f"{self._name}:{line.number}: {record['error']}"))
        self._progress.scored(record.get("nodes", 0), line.offset)


def batch_size(limit: tuple[str, int]) -> int:
    """Return the number of positions for a task of a reasonable length."""
    name, number = limit
    if name == "depth":
        return DEPTH_BATCH
    return max(1, min(MOST_IN_BATCH, NODES_PER_BATCH // number))


def batches(lines: Iterator[PositionLine], size: int) -> Iterator[list[PositionLine]]:
    """Yield the lines, ``size`` at a time."""
    while batch := list(islice(lines, size)):
        yield batch


def writing(stream: IO[bytes], name: str, output: ResumableOutput | None) -> Write:
    """Return a function that writes and flushes a line; its `OSError` has the stream's ``name``."""

    def write(text: str) -> None:
        data = text.encode(errors="replace")
        if output is not None:
            output.check(data)
        try:
            stream.write(data)
            stream.flush()
        except OSError as error:
            error.filename = name
            raise

    return write
