"""Iterative deepening: yields every completed iteration.

The loop over root moves is Python, with one kernel call for each. So a better move is known as
soon as it is found, nothing is read from a record while a kernel writes it, and the search itself
never prints and never reads a clock.
"""

import contextlib
import hashlib
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
from engine.search.score import INFINITE, MATE
from engine.search.thread_data import ThreadData
from engine.search.triangular import Ending, ending, line
from engine.search.tt import NoTable, Table

ASPIRATION_DEPTH = 5
ASPIRATION = 12
TELL_AFTER, PROGRESS_AFTER = 1000.0, 3000.0
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
    """One thread's search of a position, from its first depth to its end."""

    def __init__(
        self,
        thread: SearchThread,
        table: Table | NoTable,
        race: Race,
        nodes: Callable[[], int],
        root_moves: Sequence[int] | None = None,
        multipv: int = 1,
        soft: Callable[[], float | None] = lambda: None,
    ) -> None:
        """All threads share the ``race``; ``nodes()`` counts those of all threads, ``soft()`` is
        the present soft limit, and the others are as in `engine.search.searcher.Searcher.begin`."""
        self._thread = thread
        self._th = thread.th
        self._table = table
        self._race = race
        self._nodes = nodes
        self._soft = soft
        self._start = clock()
        self._moves = [
            RootMove(move)
            for move in thread.root_moves()
            if root_moves is None or move in root_moves
        ]
        self._lines = min(multipv, len(self._moves))
        self._found: RootMove | None = None
        self.outlasted = 0.0
        """The longest soft limit, in milliseconds, that would have ended the search by now."""
        self.tell_after, self.progress_after = TELL_AFTER, PROGRESS_AFTER

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
        depth, told = 0, 0
        while depth < min(last_depth, MAX_PLY - 1):
            depth = self._race.enter(id(self), depth + 1)
            for candidate in self._moves:
                candidate.nodes = 0
            nodes_before = int(self._th.nodes)
            self._th.seldepth = 0
            for index in range(self._lines):
                yield from self._aspirate(depth, index)
                if self._th.stop:
                    break
                if index == 0:
                    spent = int(self._th.nodes) - nodes_before
                    share = self._moves[0].nodes / max(spent, 1)
            if self._th.stop:
                ahead = self._race.beyond(told)
                if ahead is None or (ahead.depth < depth and self._found):
                    yield from self._salvage(depth, index)
                else:
                    depth = ahead.depth
                    yield self._adopt(ahead)
                if self._race.is_over() or self._th.nodes >= self._th.node_limit:
                    return False
                self._th.stop = 0
            else:
                for result in self._tell(depth, self._lines):
                    self._race.finish(result)
                    yield result
            best = self._moves[0]
            stable = stable + 1 if best.move == previous_best.move else 0
            drop = previous_best.score - best.score if told > 0 else 0
            previous_best, told = RootMove(best.move, best.score), depth
            if self._late(stable, drop, share):
                return True
        return False

    def _adopt(self, ahead: Iteration) -> Iteration:
        """Take over the result of another thread, and return it."""
        best = next(move for move in self._moves if move.move == ahead.pv[0])
        best.score, best.line, best.ending = ahead.score, ahead.pv, ahead.ending
        self._moves.remove(best)
        self._moves.insert(0, best)
        return replace(ahead, nodes=self._nodes(), time=int(self._elapsed()))

    def _tell(self, depth: int, lines: int) -> Iterator[Iteration]:
        """Sort the first ``lines`` moves by score and yield their lines."""
        self._moves[:lines] = sorted(self._moves[:lines], key=lambda move: -move.score)
        for number, candidate in enumerate(self._moves[:lines], 1):
            yield self._exact(depth, candidate, number)

    def _salvage(self, depth: int, lines: int) -> Iterator[Iteration]:
        """Yield results of a depth that was stopped after ``lines`` of its lines.

        That is a better move if one was found, or everything if no depth was completed.
        """
        if lines == 0 and self._found and (self._lines == 1 or depth == 1):
            yield self._exact(depth, self._found)
        elif depth == 1:
            yield from self._tell(depth, lines)

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
                if found and result.multipv == self._lines:
                    return False
        if found or self._th.stop or depth < 2 * moves - 1:
            return False
        with self._exhaustive(depth):
            return (yield from self._prove(depth, enough))

    def _prove(self, depth: int, enough: int) -> Generator[Iteration | Progress, None, bool]:
        """Search without pruning for a score of ``enough``, and then for its line.

        Return whether it was proved that there is none.
        """
        best = yield from self._pass(depth, 0, enough - 1, enough)
        if self._th.stop or best < enough:
            return not self._th.stop
        best = yield from self._pass(depth, 0, enough - 1, INFINITE)
        if not self._th.stop and best >= enough:
            yield self._exact(depth, self._moves[0])
        return False

    @contextlib.contextmanager
    def _exhaustive(self, depth: int) -> Iterator[None]:
        """Search every move, with results that do not depend on the path to a position.

        The shortest mate never repeats a position, so repetitions inside the tree need not count.
        Those of the game do: entries are stored under keys of this game's own. Where the fifty
        moves may end within ``depth`` plies nothing is stored, since that depends on the path.
        """
        pos, th = self._thread.pos, self._th
        past = pos.history["key"][: pos.height]
        game = np.append(past, [pos.key, np.uint64(pos.halfmove)]).tobytes()
        mask = np.frombuffer(hashlib.blake2b(game, digest_size=8).digest(), np.uint64)[0]
        pos.key ^= mask
        past ^= mask
        selective, clusters = th.selective, th.clusters
        th.selective, th.proving = 0, 1
        if pos.halfmove + depth >= 100:
            th.clusters = np.uint64(0)
        try:
            yield
        finally:
            th.selective, th.proving, th.clusters = selective, 0, clusters
            pos.key ^= mask
            past ^= mask

    def _late(self, stable: int, drop: int, share: float) -> bool:
        """Return whether the scaled soft limit is reached."""
        scale = 0.0 if len(self._moves) == 1 else soft_scale(stable, drop, share)
        elapsed = self._elapsed()
        self.outlasted = max(self.outlasted, elapsed / scale if scale else math.inf)
        soft = self._soft()
        return soft is not None and elapsed >= soft * scale

    def _aspirate(self, depth: int, index: int) -> Iterator[Iteration | Progress]:
        """Search ``moves[index:]`` with an aspiration window, widened until the score is inside."""
        self._found = None
        expected, previous_line = self._moves[index].score, self._moves[index].line
        self._th.previous_pv[: len(previous_line)] = previous_line
        self._th.previous_length = len(previous_line)
        delta = ASPIRATION
        alpha, beta = -INFINITE, INFINITE
        if depth >= ASPIRATION_DEPTH and previous_line:
            alpha, beta = max(expected - delta, -INFINITE), min(expected + delta, INFINITE)
        while True:
            best = yield from self._pass(depth, index, alpha, beta)
            if self._th.stop or alpha < best < beta:
                return
            if best <= alpha:
                if self._tells():
                    yield self._result(depth, best, "upper", ())
                beta = (alpha + beta) // 2
                alpha = max(best - delta, -INFINITE)
            else:
                if self._tells():
                    yield self._result(depth, best, "lower", (self._moves[index].move,))
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
                break
            best = max(best, score)
            if score > alpha:
                alpha = score
                self._moves.remove(candidate)
                self._moves.insert(index, candidate)
                if score >= beta:
                    break
                candidate.score = score
                candidate.line, candidate.ending = self._thread.best_line(candidate.move)
                self._found = candidate
                if number > 1 and self._tells():
                    yield self._exact(depth, candidate)
        return best

    def _elapsed(self) -> float:
        return clock() - self._start

    def _tells(self) -> bool:
        """Return whether bounds and better moves within an iteration are yielded now."""
        return self._lines == 1 and self._elapsed() >= self.tell_after

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
        return Iteration(
            depth=depth,
            seldepth=max(int(self._th.seldepth), depth),
            score=score,
            bound=bound,
            nodes=self._nodes(),
            time=int(self._elapsed()),
            hashfull=self._table.fullness(),
            pv=pv,
            multipv=number,
            ending=ending,
        )
