"""Verifications: of a document of analysed games, and of a file of scored positions."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, replace
from functools import partial
from pathlib import Path

from uci.apps.analyse.analysis_settings import AnalysisSettings, digest_of
from uci.apps.analyse.verify.derived import ReplayedGame, derived_differences, replayed
from uci.apps.analyse.verify.differences import Difference, differences
from uci.apps.analyse.verify.searched import places, search_again
from uci.apps.engines.batch_engine import score_lines
from uci.apps.engines.compatibility import differences as engine_differences
from uci.apps.engines.compatibility import engine_facts
from uci.apps.engines.executor import TaskExecutor, TaskLost, in_order
from uci.apps.engines.scored_records import (
    ScoreRecord,
    ScoresHead,
    is_scores,
    read_head,
    read_records,
)
from uci.apps.games.analysis_document import AnalysisDocument, read_document
from uci.errors import UciError, counted, shorten

INPUT = {"line", "note", "operations"}
"""What a record of a scored position has of its input."""


class Incomparable(Exception):
    """Raised if this installation cannot repeat a file's analysis; the message gives the reason."""


class Verification:
    """The comparison of a file; ``plan`` and ``done`` describe its scope before and after it."""

    plan = ""

    @property
    def done(self) -> str:
        """The values that were compared so far."""
        raise NotImplementedError

    def results(self, executor: TaskExecutor) -> Iterator[list[Difference]]:
        """Compute the values again; yield lists of differences as they are found.

        Raises `UciError` if a position crashes every engine.
        """
        raise NotImplementedError


def open_verification(path: Path, dice: random.Random, sample: int, evaluate: str) -> Verification:
    """Return the verification of a file, with a ``sample`` drawn by ``dice``.

    ``evaluate`` is that of `AnalysisSettings`. Raises `Incomparable`, and `UciError` for a file or
    an evaluation that cannot be read.
    """
    if not is_scores(path):
        return GamesVerification(read_document(path), dice, sample, evaluate)
    if evaluate:
        raise UciError("--evaluate cannot be used with scores, which the network gives")
    return ScoresVerification(path, read_head(path), dice, sample)


class GamesVerification(Verification):
    """Derived values of all games, and a sample of chunks that are searched again."""

    def __init__(
        self, document: AnalysisDocument, dice: random.Random, sample: int, evaluate: str
    ) -> None:
        ours = AnalysisSettings(evaluate=evaluate, evaluation=digest_of(evaluate))
        _check_engine(asdict(document.engine), asdict(ours.engine_name))
        self._settings = _settings_of(document, ours)
        self._document = document
        every = places(document.games)
        self._places = sorted(dice.sample(every, min(sample, len(every))))
        games = counted(len(document.games), "game")
        self.plan = f"{games}; searching {len(self._places):,} of {len(every):,} chunks again"
        self._games, self._chunks, self._every = games, 0, len(every)
        self._positions = 0

    @property
    def done(self) -> str:
        """See `Verification`."""
        return (
            f"moves and totals of {self._games}, {self._chunks:,} of {self._every:,} chunks"
            f" ({counted(self._positions, 'position')})"
        )

    def results(self, executor: TaskExecutor) -> Iterator[list[Difference]]:
        """See `Verification`."""
        known: dict[int, ReplayedGame] = {}
        for at, game in enumerate(self._document.games):
            found = replayed(game)
            if isinstance(found, Difference):
                yield [found]
            else:
                known[at] = found
                yield [*derived_differences(found, self._document.scale.thresholds)]
        chosen = [(known[at], number) for at, number in self._places if at in known]
        for positions, wrong in search_again(chosen, self._settings, executor):
            self._chunks += 1
            self._positions += positions
            yield wrong


def _settings_of(document: AnalysisDocument, ours: AnalysisSettings) -> AnalysisSettings:
    """Return our settings with those of the document's searches.

    Raises `Incomparable` if these give no fixed result.
    """
    limit = _limit_of(document.limit)
    if document.tables:
        raise Incomparable("it was made with tablebases, which the file does not contain")
    if document.threads is None or document.hash is None:
        raise Incomparable("it does not record its threads and the size of its hash table")
    if document.threads != 1:
        raise Incomparable(
            f"{document.threads} threads searched each position, which gives other results each"
            " time; analyse with --threads 1"
        )
    return replace(
        ours,
        limit=limit,
        multipv=document.multipv,
        hash=document.hash,
        thresholds=astuple(document.scale.thresholds),
        threat_limit=_limit_of(document.threat_limit) if document.threat_limit else None,
    )


def _limit_of(limit: Mapping[str, int]) -> tuple[str, int]:
    """Return a limit as `go` has it. Raises `Incomparable` if it gives no fixed result."""
    [(name, number), *others] = limit.items()
    if name == "movetime" or others:
        raise Incomparable(
            f"its positions were searched for {number:,} ms each, which gives other results each"
            " time; analyse with --nodes or --depth"
        )
    if name not in ("nodes", "depth"):
        raise Incomparable(f"its limit {shorten(name)!r} is unknown, expected nodes or depth")
    return name, number


def _check_engine(recorded: Mapping[str, str], ours: Mapping[str, str]) -> None:
    """Raise `Incomparable` unless our engine made the file."""
    if not (recorded.get("network") and recorded.get("sources")):
        raise Incomparable("it does not record its network and sources, as old versions do not")
    if different := engine_differences(ours, recorded):
        raise Incomparable(f"another engine made it: {different}")


class ScoresVerification(Verification):
    """A sample of scored positions that are searched again."""

    def __init__(self, path: Path, head: ScoresHead, dice: random.Random, sample: int) -> None:
        _check_engine(head.engine, engine_facts())
        self._head = head
        self._total, self._chosen = 0, list[tuple[int, ScoreRecord]]()
        for found in read_records(path):  # reservoir sampling: the file may be of any size
            if "error" in found[1]:
                continue
            self._total += 1
            if len(self._chosen) < sample:
                self._chosen.append(found)
            elif (at := dice.randrange(self._total)) < sample:
                self._chosen[at] = found
        self._chosen.sort(key=lambda each: each[0])
        self.plan = f"searching {len(self._chosen):,} of {self._total:,} positions again"

    @property
    def done(self) -> str:
        """See `Verification`."""
        return f"{len(self._chosen):,} of {self._total:,} positions"

    def results(self, executor: TaskExecutor) -> Iterator[list[Difference]]:
        """See `Verification`."""
        head = self._head
        calls = (
            ((number, record), partial(executor.submit, score_lines, *task))
            for number, record in self._chosen
            for task in [(head.limit, head.hash_mb, [str(record.get("fen"))])]
        )
        for (number, record), future in in_order(executor, calls):
            try:
                [found] = future.result()
            except TaskLost as error:
                raise UciError(f"line {number}: given up: {error}") from None
            recorded = {name: each for name, each in record.items() if name not in INPUT}
            computed = {name: each for name, each in found.items() if name not in INPUT}
            yield [*differences(f"line {number}", recorded, computed)]
