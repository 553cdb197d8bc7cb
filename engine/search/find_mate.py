"""The search for a mate in a number of moves, which also proves that there is none."""

import contextlib
import hashlib
from collections.abc import Generator, Iterator

import numpy as np

from engine.board.types import MAX_PLY
from engine.search.iterate import Search
from engine.search.results import Iteration, Progress
from engine.search.score import INFINITE, MATE

_FIFTY_MOVES = 100
"""Plies."""


class MateSearch(Search):
    """A single-threaded search that ends at a mate, or after an exhaustive search without one."""

    _proved: Iteration | None = None

    def find_mate(self, moves: int, last_depth: int) -> Generator[Iteration | Progress, None, bool]:
        """Search for a mate in ``moves``: selectively as usual, then without any pruning.

        The soft limit ends only the first part. Return whether it was proved that there is none.
        """
        depth = min(2 * moves - 1, last_depth, MAX_PLY - 1)
        enough = MATE - depth
        found = False
        for result in self._deepen(depth):
            yield result
            if isinstance(result, Iteration) and result.bound == "exact":
                found |= result.score >= enough
                if found and result.multipv == self.lines:
                    return False
        if found or self.stopped or depth < 2 * moves - 1:
            return False
        with self._exhaustive(depth):
            return (yield from self._prove(depth, enough))

    def _prove(self, depth: int, enough: int) -> Generator[Iteration | Progress, None, bool]:
        """Search without pruning for a score of ``enough``, and then for its line.

        Return whether it was proved that there is none.
        """
        self._begin_depth(depth)
        best = yield from self._pass(depth, 0, enough - 1, enough)
        if self.stopped or best < enough:
            return not self.stopped
        self._proved = self._lower(depth, best, self._moves[0].move)
        yield from self._pass(depth, 0, enough - 1, INFINITE)
        if self._found is not None:
            yield from self._complete(depth, 1)
        return False

    def salvage(self, best: Iteration | None) -> list[Iteration]:
        """Return the mate that is proved but has no line yet, or else as `Search.salvage`."""
        if self.stopped and self._proved is not None and self._found is None:
            return [self._proved]
        return super().salvage(best)

    @contextlib.contextmanager
    def _exhaustive(self, depth: int) -> Iterator[None]:
        """Search every move, with results that do not depend on the path to a position.

        The shortest mate never repeats a position, so repetitions inside the tree need not count.
        Those of the game do: entries are stored under keys of this game's own. Where the fifty
        moves may end within ``depth`` plies nothing is stored, since that depends on the path.
        """
        pos, th = self._thread.pos, self._th
        past = pos.history["key"][: pos.game_ply]
        game = np.append(past, [pos.key, np.uint64(pos.halfmove)]).tobytes()
        mask = np.frombuffer(hashlib.blake2b(game, digest_size=8).digest(), np.uint64)[0]
        pos.key ^= mask
        past ^= mask
        selective, clusters = th.selective, th.clusters
        th.selective, th.proving = 0, 1
        if pos.halfmove + depth >= _FIFTY_MOVES:
            th.clusters = np.uint64(0)
        try:
            yield
        finally:
            th.selective, th.proving, th.clusters = selective, 0, clusters
            pos.key ^= mask
            past ^= mask
