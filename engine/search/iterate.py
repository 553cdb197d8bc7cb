"""Iterative deepening: yields every completed iteration.

The loop over root moves is Python, with one kernel call for each. So a better move is known as
soon as it is found, nothing is read from a record while a kernel writes it, and the search itself
never prints and never reads a clock.
"""

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.board.position import new_position
from engine.board.types import MAX_PLY
from engine.jit.kernel import clock
from engine.memory.records import array_of, word_of
from engine.search.limits import soft_scale
from engine.search.race import Race
from engine.search.results import Iteration, Progress
from engine.search.root_move import search_root
from engine.search.root_order import MOVE_LIST, order_root_moves
from engine.search.score import INFINITE, MATE_IN_MAX
from engine.search.table_setting import TableCache
from engine.search.thread_data import ThreadData
from engine.search.triangular import Ending, ending, line
from engine.search.tt import NoTable, Table

ASPIRATION_DEPTH = 5
ASPIRATION = 12
REPORT_AFTER, PROGRESS_AFTER = 1000.0, 3000.0
"""Defaults of `engine.search.searcher.Searcher`, in milliseconds."""


@dataclass(slots=True)
class RootMove:
    """A root move: its last exact score, line and ending, and its nodes at this depth."""

    move: int
    score: int = -INFINITE
    line: tuple[int, ...] = ()
    ending: Ending | None = None
    nodes: int = 0


class SearchThread:
    """A thread's own state: a position, a record, and the kernels that work on them."""

    def __init__(self, th: ThreadData) -> None:
        self.pos = new_position()
        self._positions = array_of(self.pos)
        self._move_list = np.zeros(1, MOVE_LIST)[0]
        self.table_cache = TableCache()
        self.use(th)

    def use(self, th: ThreadData) -> None:
        """Use the record ``th`` from now on."""
        self.th = th
        self._threads = array_of(th)
        self.stop, self.nodes = word_of(th, "stop"), word_of(th, "nodes")

    def root_moves(self) -> list[int]:
        """Return the legal moves, in the order in which to search them first."""
        count = order_root_moves(self.pos, self.th, self._move_list)
        return [int(move) for move in self._move_list[:count]]

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        """Return the score of a root move: see `engine.search.root_move.search_root_move`."""
        return int(search_root(self._positions, self._threads, move, number, depth, alpha, beta))

    def best_line(self, move: int) -> tuple[tuple[int, ...], Ending]:
        """Return the line of the root ``move`` that was just searched exactly, and its ending."""
        return line(self.th), ending(self.th)


class Search:
    """One thread's search of a position, from its first depth to its end.

    ``completed`` is the first line of the deepest depth that this thread knows, its own or
    another's, with which `salvage` compares what an unfinished depth has found.
    """

    def __init__(
        self,
        thread: SearchThread,
        table: Table | NoTable,
        race: Race,
        counts: Callable[[], tuple[int, int]],
        root_moves: Sequence[int] | None = None,
        multipv: int = 1,
        soft: Callable[[], float | None] = lambda: None,
    ) -> None:
        """All threads share the ``race``; ``counts()`` are the nodes and the ``tbhits`` of all
        threads, ``soft()`` is the present soft limit, and the others are as in
        `engine.search.searcher.Searcher.begin`."""
        self._thread = thread
        self._th = thread.th
        self._table = table
        self._race = race
        self._counts = counts
        self._soft = soft
        self._start = clock()
        self._moves = [
            RootMove(move)
            for move in thread.root_moves()
            if root_moves is None or move in root_moves
        ]
        self.lines = min(multipv, len(self._moves))
        self.completed: Iteration | None = None
        self._begin_depth(0)
        self.max_expired_soft = 0.0
        """The largest soft limit (ms) already exceeded at an iteration boundary, after scaling."""
        self.report_after, self.progress_after = REPORT_AFTER, PROGRESS_AFTER
        self.soft_nodes: int | None = None

    @property
    def stopped(self) -> bool:
        """Whether the present depth was left before its end."""
        return bool(self._th.stop)

    def deepen(self, last_depth: int) -> Iterator[Iteration | Progress]:
        """Search depth by depth; yield the result of each, found by this thread or another.

        When the soft limit ends it, the other threads end too.
        """
        if (yield from self._deepen(last_depth)):
            self._race.end()

    def _deepen(self, last_depth: int) -> Generator[Iteration | Progress, None, bool]:
        """Search as `deepen`; return whether the soft limit ended it."""
        if not self._moves:
            return False
        previous_best, stable, share = RootMove(0), 0, 0.0
        while self._completed_depth < min(last_depth, MAX_PLY - 1):
            ahead = self._race.beyond(self._completed_depth)
            if ahead is not None:
                yield self._adopt(ahead)
            else:
                depth = self._race.enter(id(self), self._completed_depth + 1)
                own_share = yield from self._search_depth(depth)
                if self.stopped:
                    if self._race.is_over() or self._th.nodes >= self._th.node_limit:
                        return False
                    self._th.stop = 0  # another thread has finished this depth
                    continue
                share = own_share
            best = self._moves[0]
            stable = stable + 1 if best.move == previous_best.move else 0
            drop = previous_best.score - best.score if previous_best.move else 0
            previous_best = RootMove(best.move, best.score)
            if self._soft_limit_reached(stable, drop, share):
                return True
        return False

    def _search_depth(self, depth: int) -> Generator[Iteration | Progress, None, float]:
        """Search all lines of a depth; return the share of the nodes that the best move took."""
        self._begin_depth(depth)
        share, nodes_before = 0.0, int(self._th.nodes)
        for candidate in self._moves:
            candidate.nodes = 0
        self._th.seldepth = 0
        for index in range(self.lines):
            yield from self._aspirate(depth, index)
            if self.stopped:
                return share
            if index == 0:
                share = self._moves[0].nodes / max(int(self._th.nodes) - nodes_before, 1)
            self._lines_done = index + 1
        yield from self._complete(depth, self.lines)
        return share

    @property
    def _completed_depth(self) -> int:
        return 0 if self.completed is None else self.completed.depth

    def _begin_depth(self, depth: int) -> None:
        """Reset what was found at the present depth, and begin ``depth``; 0 between two depths."""
        self._depth, self._lines_done = depth, 0
        self._found: RootMove | None = None
        self._raised: RootMove | None = None
        self._interrupted = 0
        self._searched: set[int] = set()

    def _adopt(self, ahead: Iteration) -> Iteration:
        """Take over the result of another thread, and return it."""
        best = next(move for move in self._moves if move.move == ahead.pv[0])
        best.score, best.line, best.ending = ahead.score, ahead.pv, ahead.ending
        self._moves.remove(best)
        self._moves.insert(0, best)
        self._begin_depth(0)
        self.completed = self.again(ahead)
        return self.completed

    def _complete(self, depth: int, lines: int) -> Iterator[Iteration]:
        """Finish a depth: sort its first ``lines`` moves by score and yield their lines."""
        self._begin_depth(0)
        for result in self._sorted_lines(depth, lines):
            if result.multipv == 1:
                self.completed = result
                self._race.finish(result)
            yield result

    def _sorted_lines(self, depth: int, lines: int) -> Iterator[Iteration]:
        self._moves[:lines] = sorted(self._moves[:lines], key=lambda move: -move.score)
        for number, candidate in enumerate(self._moves[:lines], 1):
            yield self._exact(depth, candidate, number)

    def salvage(self, best: Iteration | None) -> list[Iteration]:
        """Return what an unfinished depth has found that is better than ``best``; often nothing.

        ``best`` is the deepest result of any thread. Only a move that this deeper search compared
        with the move of ``best`` can be better: exact inside the window, a lower bound if it
        failed high. A mate against the side to move is also a lower bound, since moves that were
        not searched may avoid it; then the interrupted move is returned. With several lines
        (``multipv``) only an unfinished first depth is used.
        """
        depth = self._depth
        if depth <= (0 if best is None else best.depth) or 0 < self._race.last_depth < depth:
            return []
        if self._lines_done:
            return [*self._sorted_lines(depth, self._lines_done)] if depth == 1 else []
        if (self.lines > 1 and depth > 1) or not (best is None or best.pv[0] in self._searched):
            return []
        found, raised = self._found, self._raised
        results = []
        if found is not None and found.score > -MATE_IN_MAX:
            results = [self._exact(depth, found)]
        elif found is not None and raised is None:
            news = best is None or best.score > -MATE_IN_MAX
            results = [self._lower(depth, found.score, self._interrupted if news else found.move)]
        if raised is not None:
            results.append(self._lower(depth, raised.score, raised.move))
        return results

    def _soft_limit_reached(self, stable: int, drop: int, share: float) -> bool:
        """Return whether the scaled soft limit is reached."""
        scale = 0.0 if len(self._moves) == 1 else soft_scale(stable, drop, share)
        elapsed = self._elapsed()
        self.max_expired_soft = max(self.max_expired_soft, elapsed / scale if scale else math.inf)
        soft, soft_nodes = self._soft(), self.soft_nodes
        if soft_nodes is not None and self._counts()[0] >= soft_nodes * scale:
            return True
        return soft is not None and elapsed >= soft * scale

    def _aspirate(self, depth: int, index: int) -> Iterator[Iteration | Progress]:
        """Search ``moves[index:]`` with an aspiration window, widened until the score is inside."""
        expected, previous_line = self._moves[index].score, self._moves[index].line
        self._th.previous_pv[: len(previous_line)] = previous_line
        self._th.previous_length = len(previous_line)
        delta = ASPIRATION
        alpha, beta = -INFINITE, INFINITE
        if depth >= ASPIRATION_DEPTH and previous_line:
            alpha, beta = max(expected - delta, -INFINITE), min(expected + delta, INFINITE)
        while True:
            best = yield from self._pass(depth, index, alpha, beta)
            if self.stopped or alpha < best < beta:
                return
            if best <= alpha:
                self._searched.clear()
                if self._reporting():
                    yield self._result(depth, best, "upper", ())
                beta = (alpha + beta) // 2
                alpha = max(best - delta, -INFINITE)
            else:
                if self._reporting():
                    yield self._lower(depth, best, self._moves[index].move)
                beta = min(best + delta, INFINITE)
            delta *= 2

    def _pass(
        self, depth: int, index: int, alpha: int, beta: int
    ) -> Generator[Iteration | Progress, None, int]:
        """Search ``moves[index:]`` in a window and return the best score.

        A move that raises alpha comes to the front; inside the window its score is exact.
        """
        best = -INFINITE
        for number, candidate in enumerate(tuple(self._moves[index:]), 1):
            if self._elapsed() >= self.progress_after:
                yield Progress(depth, candidate.move, index + number)
            before = int(self._thread.nodes[0])
            score = self._thread.search_root_move(candidate.move, number, depth, alpha, beta)
            candidate.nodes += int(self._thread.nodes[0]) - before
            if self._thread.stop[0]:
                self._interrupted = candidate.move
                if self._th.failed_high > alpha:  # stopped while its line was searched
                    self._raised = RootMove(candidate.move, int(self._th.failed_high))
                break
            self._searched.add(candidate.move)
            self._raised = None
            best = max(best, score)
            if score > alpha:
                alpha = score
                self._moves.remove(candidate)
                self._moves.insert(index, candidate)
                if score >= beta:
                    self._raised = RootMove(candidate.move, score)
                    break
                candidate.score = score
                candidate.line, candidate.ending = self._thread.best_line(candidate.move)
                self._found = candidate
                if number > 1 and self._reporting():
                    yield self._better(depth, candidate)
        return best

    def _elapsed(self) -> float:
        return clock() - self._start

    def _reporting(self) -> bool:
        """Return whether bounds and better moves within an iteration are yielded now."""
        return self.lines == 1 and self._elapsed() >= self.report_after

    def _better(self, depth: int, found: RootMove) -> Iteration:
        """Return the result for the best root move so far, while others are left to search."""
        if found.score > -MATE_IN_MAX:
            return self._exact(depth, found)
        return self._lower(depth, found.score, found.move)

    def again(self, result: Iteration) -> Iteration:
        """Return an earlier result with the present nodes and time."""
        nodes, tbhits = self._counts()
        return replace(result, nodes=nodes, tbhits=tbhits, time=int(self._elapsed()))

    def _lower(self, depth: int, score: int, move: int) -> Iteration:
        return self._result(depth, score, "lower", (move,))

    def _exact(self, depth: int, found: RootMove, number: int = 1) -> Iteration:
        return self._result(depth, found.score, "exact", found.line, number, found.ending)

    def _result(
        self,
        depth: int,
        score: int,
        bound: str,
        pv: tuple[int, ...],
        number: int = 1,
        ending: Ending | None = None,
    ) -> Iteration:
        nodes, tbhits = self._counts()
        return Iteration(
            depth=depth,
            seldepth=max(int(self._th.seldepth), depth),
            score=score,
            bound=bound,
            nodes=nodes,
            time=int(self._elapsed()),
            hashfull=self._table.hashfull(),
            pv=pv,
            multipv=number,
            ending=ending,
            tbhits=tbhits,
        )
