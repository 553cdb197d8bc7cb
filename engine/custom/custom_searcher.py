"""The engine's searcher with a user's evaluation."""

import contextlib
import functools
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import cast

from engine.board.annotations import Position
from engine.custom.variant import CLAMPED, EvaluationVariant
from engine.evaluation.nnue import MAX_SCORE
from engine.evaluation.shape import Network
from engine.search.iterate import SearchThread
from engine.search.limits import Limits
from engine.search.results import Iteration, Progress
from engine.search.searcher import Searcher
from engine.search.thread_data import ThreadData

TOO_LARGE = f"{{}} returned a score beyond ±{MAX_SCORE:,} centipawns: all such scores are clamped"


class _CustomThread(SearchThread):
    """A thread that searches with a variant's kernels."""

    def __init__(self, th: ThreadData, variant: EvaluationVariant) -> None:
        super().__init__(th)
        self._root = variant.search_root

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        """See `SearchThread`."""
        return int(self._root(self._positions, self._threads, move, number, depth, alpha, beta))


class CustomSearcher(Searcher):
    """A searcher that takes its scores from a user's evaluation."""

    def __init__(
        self,
        variant: EvaluationVariant,
        hash_mb: int = 16,
        threads: int = 1,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Search with ``variant``; ``report`` is called once if a score had to be clamped."""
        self._variant = variant
        self._report = report
        self._reported = False
        super().__init__(hash_mb, threads=threads)

    @functools.cached_property
    def _static(self) -> ThreadData:
        """The record that `evaluate` works on."""
        return self._new_record()

    def _new_thread(self) -> SearchThread:
        return _CustomThread(self._new_record(), self._variant)

    def evaluate(self, pos: Position) -> int:
        """See `Searcher`."""
        score = int(self._variant.evaluate(pos, self._static))
        self._report_clamped([self._static])
        return score

    def correction(self, pos: Position) -> int:
        """See `Searcher`."""
        return int(self._variant.root_correction(pos, self._thread))

    def evaluates_by_rule(self, pos: Position) -> bool:
        """Return False: the function evaluates every position."""
        return False

    def evaluation_id(self) -> str:
        """See `Searcher`."""
        return self._variant.evaluation.digest

    def use_network(self, net: Network) -> None:
        """Raise `ValueError`: no network is used."""
        raise ValueError(f"{self._variant.evaluation.name} evaluates, not a network")

    def begin(
        self,
        limits: Limits,
        soft: float | None,
        multipv: int = 1,
        root_moves: Sequence[int] | None = None,
    ) -> Iterator[Iteration | Progress]:
        """See `Searcher`."""
        return self._watched(super().begin(limits, soft, multipv, root_moves))

    def _watched(self, results: Iterator[Iteration | Progress]) -> Iterator[Iteration | Progress]:
        with contextlib.closing(cast(Generator[Iteration | Progress], results)):
            for result in results:
                self._report_clamped([thread.th for thread in self._threads])
                yield result
        self._report_clamped([thread.th for thread in self._threads])

    def _report_clamped(self, records: Sequence[ThreadData]) -> None:
        if not self._reported and any(record.changes[CLAMPED] for record in records):
            self._reported = True
            self._report(TOO_LARGE.format(self._variant.evaluation.name))
