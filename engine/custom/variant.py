"""The engine's search with a user's evaluation in place of the network.

The user's function evaluates every position, including endgames that the engine itself evaluates
by rule. The network's accumulators are neither updated nor read.
"""

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.board.annotations import Flag, Move, Ply, Position, Score
from engine.board.position import POSITION
from engine.custom.function import Evaluation
from engine.custom.rebind import Rebinder
from engine.datagen.root import ROOT, search
from engine.evaluation import endgames, nnue
from engine.evaluation.evaluation_data import EvaluationData
from engine.evaluation.nnue import MAX_SCORE
from engine.jit import cache
from engine.jit.kernel import Dispatcher, EntryPoints, instance, kernel
from engine.search.root_correction import root_correction
from engine.search.root_move import search_root
from engine.search.thread import THREAD

CLAMPED = 0
"""The place in the thread's ``changes``, which are otherwise unused, that is 1 after a score beyond
± `MAX_SCORE`."""


def _function(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    """Stand in for the user's function, which `instance` binds to this name."""
    raise NotImplementedError


def _evaluate(pos: Position, th: EvaluationData, ply: Ply) -> Score:
    """Return the user's score in centipawns for the side to move, within ± `MAX_SCORE`.

    A score that is not a number (NaN) counts as 0.
    """
    score = _function(pos.board, pos.by_type, pos.by_colour, np.int64(pos.side))
    if score >= -MAX_SCORE and score <= MAX_SCORE:
        return np.int64(score)
    th.changes[CLAMPED] = 1
    limit = np.int64(MAX_SCORE)
    return limit if score > 0 else -limit if score < 0 else np.int64(0)


def _evaluate_alone(pos: Position, th: EvaluationData) -> Score:
    """Return the score of ``pos``."""
    return _evaluate(pos, th, np.int64(0))


@kernel
def _no_start(pos: Position, th: EvaluationData) -> None:
    """Do nothing: there are no accumulators."""


@kernel
def _no_update(pos: Position, th: EvaluationData, ply: Ply) -> None:
    """Do nothing: there are no accumulators."""


@kernel
def _no_push(pos: Position, th: EvaluationData, ply: Ply, move: Move) -> None:
    """Do nothing: there are no accumulators."""


@kernel
def _no_push_null(pos: Position, th: EvaluationData, ply: Ply) -> None:
    """Do nothing: there are no accumulators."""


@kernel
def _never(pos: Position) -> Flag:
    """Return False: no rule evaluates."""
    return False


class EvaluationVariant:
    """The kernels of a search with an evaluation, each compiled when it is first used."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self._entries = EntryPoints(self._folder)
        self._suffix = evaluation.digest
        function = evaluation.compiled()
        self._evaluate = kernel(instance(_evaluate, f"evaluate_{self._suffix}", _function=function))
        replaced: dict[Any, Any] = {
            nnue.evaluate: self._evaluate,
            nnue.start: _no_start,
            nnue.update_accumulators: _no_update,
            nnue.push_move: _no_push,
            nnue.push_null: _no_push_null,
            endgames.is_evaluated_by_rule: _never,
        }
        self._rebinder = Rebinder(replaced, self._suffix)

    def _folder(self) -> str:
        """Return the name of the cache's folder for this evaluation."""
        facts = cache.digest(everything=True), self.evaluation.digest
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:24]

    @functools.cached_property
    def search_root(self) -> Dispatcher:
        """See `engine.search.root_move.search_root`."""
        entry = self._entries.entry((POSITION, (1,)), (THREAD, (1,)), *[np.int64] * 5)
        return entry(self._rebinder.entry(search_root))

    @functools.cached_property
    def evaluate(self) -> Dispatcher:
        """The evaluation of a position without a search; the record is a thread's."""
        alone = instance(
            _evaluate_alone, f"evaluate_alone_{self._suffix}", _evaluate=self._evaluate
        )
        return self._entries.entry(POSITION, THREAD)(alone)

    @functools.cached_property
    def root_correction(self) -> Dispatcher:
        """See `engine.search.root_correction.root_correction`."""
        return self._entries.entry(POSITION, THREAD)(self._rebinder.entry(root_correction))

    @functools.cached_property
    def search_game(self) -> Dispatcher:
        """See `engine.datagen.root.search`."""
        return self._entries.entry(POSITION, THREAD, ROOT)(self._rebinder.entry(search))

    def ask_for_search(self) -> None:
        """Request the entry points that a searcher needs."""
        _ = self.search_root, self.evaluate

    def is_warm(self) -> bool:
        """Return whether all requested entry points can be loaded without compiling."""
        return self._entries.is_warm()

    def warm(self, progress: Callable[[int, int, str], None] | None = None) -> None:
        """Load or compile all requested entry points: see `EntryPoints.warm`."""
        self._entries.warm(progress)
