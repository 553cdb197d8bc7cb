"""Iterative deepening over the root: each completed iteration is an immutable value.

The root's loop is Python, one kernel call a root move, so nothing is read from a record
while a kernel writes it, and the search itself never prints and never sees a clock.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.board.movegen import legal_moves
from engine.board.position import new_position
from engine.board.types import MAX_PLY
from engine.evaluation.psqt import psq_of
from engine.kernel import clock
from engine.pv.triangular import line
from engine.search.limits import Limits
from engine.search.pvs import search_root_move
from engine.search.score import INFINITE
from engine.search.thread import new_thread
from engine.search.tt import Table

_ASPIRATION_DEPTH = 5
_ASPIRATION = 18
_NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Iteration:
    """What one pass over the root found.

    ``score`` in centipawns or as a mate score, for the side to move; ``bound`` is "exact",
    "lower" or "upper"; ``time`` in milliseconds since `Searcher.begin`; ``hashfull`` in
    permille; ``pv`` 16-bit moves: complete for an exact score, the refuting move alone
    for a lower bound, empty for an upper one.
    """

    depth: int
    seldepth: int
    score: int
    bound: str
    nodes: int
    time: int
    hashfull: int
    pv: tuple[int, ...]


class Searcher:
    """A position and all that searching it needs: the table and the thread's record."""

    def __init__(self, hash_mb: int = 16) -> None:
        """Allocate a table of ``hash_mb`` MB; `MemoryError` when that cannot be had."""
        self.pos: Any = new_position()
        self._thread: Any = new_thread()
        self._table = Table(hash_mb)

    @property
    def nodes(self) -> int:
        """Nodes of the last search; valid when it has ended."""
        return int(self._thread.nodes)

    def resize(self, hash_mb: int) -> None:
        """Replace the table; on `MemoryError` the old one stays."""
        if hash_mb != self._table.megabytes:
            self._table = Table(hash_mb)

    def clear(self) -> None:
        """Forget all that was learned: the next search is as if it were the first."""
        self._table.clear()
        self._thread = new_thread()

    def stop(self) -> None:
        """End the search within a few milliseconds; from any thread."""
        self._thread.stop = 1

    def begin(self, limits: Limits, soft: int | None) -> Iterator[Iteration]:
        """Start a search of ``pos`` and return its results, searched as they are asked for.

        Ends by itself at the depth or node limit, after ``soft`` milliseconds between two
        iterations, or after `stop`, which may come from now on. The first iteration of a
        search that is stopped at once may be missing.
        """
        th = self._thread
        th.stop = 0
        th.nodes = 0
        th.node_limit = _NO_LIMIT if limits.nodes is None else max(limits.nodes, 1)
        th.previous_length = 0
        th.killers[:] = 0
        th.placement[0] = psq_of(self.pos)
        self._table.grow_older()
        self._table.attach(th)
        depth = MAX_PLY - 1 if limits.depth is None else min(limits.depth, MAX_PLY - 1)
        return self._deepen(depth, soft, clock())

    def _deepen(self, last_depth: int, soft: int | None, start: float) -> Iterator[Iteration]:
        th = self._thread
        moves = legal_moves(self.pos)
        score = 0
        for depth in range(1, last_depth + 1):
            th.seldepth = 0
            for result in self._aspirate(moves, depth, score, start):
                yield result
                score = result.score
            if th.stop or not moves:
                return
            pv = line(th)
            th.previous_pv[: len(pv)] = pv
            th.previous_length = len(pv)
            if soft is not None and (clock() - start >= soft or len(moves) == 1):
                return

    def _aspirate(
        self, moves: list[int], depth: int, expected: int, start: float
    ) -> Iterator[Iteration]:
        """Search one depth with a window around the expected score, widened until it holds."""
        delta = _ASPIRATION
        alpha, beta = -INFINITE, INFINITE
        if depth >= _ASPIRATION_DEPTH:
            alpha, beta = max(expected - delta, -INFINITE), min(expected + delta, INFINITE)
        while True:
            best = self._search_root(moves, depth, alpha, beta)
            if self._thread.stop or best is None:
                return
            if alpha < best < beta:
                yield self._result(depth, best, "exact", start, line(self._thread))
                return
            if best <= alpha:
                yield self._result(depth, best, "upper", start, ())
                beta = (alpha + beta) // 2
                alpha = max(best - delta, -INFINITE)
            else:
                yield self._result(depth, best, "lower", start, (moves[0],))
                beta = min(best + delta, INFINITE)
            delta *= 2

    def _search_root(self, moves: list[int], depth: int, alpha: int, beta: int) -> int | None:
        """Search all root moves in a window; whatever is best moves to the front.

        Returns the best score; ``None`` without legal moves. A row-0 line belongs to it
        when it lies inside the window.
        """
        th = self._thread
        best = None
        best_line: tuple[int, ...] = ()
        for number, move in enumerate(tuple(moves), 1):
            score = int(search_root_move(self.pos, th, move, number, depth, alpha, beta))
            if th.stop:
                break
            if best is None or score > best:
                best = score
            if score > alpha:
                alpha = score
                moves.remove(move)
                moves.insert(0, move)
                best_line = line(th)
                if score >= beta:
                    break
        th.pv[: len(best_line)] = best_line
        th.pv_length[0] = len(best_line)
        return best

    def _result(
        self, depth: int, score: int, bound: str, start: float, pv: tuple[int, ...]
    ) -> Iteration:
        return Iteration(
            depth=depth,
            seldepth=max(int(self._thread.seldepth), depth),
            score=score,
            bound=bound,
            nodes=int(self._thread.nodes),
            time=int(clock() - start),
            hashfull=self._table.fullness(),
            pv=pv,
        )
