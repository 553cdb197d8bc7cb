"""Iterative deepening: every completed iteration leaves as an immutable value.

The root's loop is Python, one kernel call a root move. So a better move is known the moment
it is found, nothing is read from a record while a kernel writes it, and the search itself
never prints and never sees a clock.
"""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.board.movegen import legal_moves
from engine.board.position import new_position
from engine.board.types import MAX_PLY
from engine.evaluation.network import default_network, install
from engine.evaluation.nnue import EVALUATION, evaluate_from_scratch
from engine.kernel import clock
from engine.pv.triangular import Ending, ending, line
from engine.records import new_record
from engine.search.limits import Limits, stretch
from engine.search.parameters import TUNING, set_parameters
from engine.search.pvs import search_root_move
from engine.search.score import INFINITE, MATE
from engine.search.thread import new_thread
from engine.search.tt import NoTable, Table, is_available

ASPIRATION_DEPTH = 5
ASPIRATION = 8
TELL_AFTER = 1000.0
"""Milliseconds after which bounds and better moves inside an iteration are told too."""

PROGRESS_AFTER = 3000.0
"""Milliseconds after which every root move is told when its search begins."""

_NO_LIMIT = 1 << 62
_UNPRUNED = np.uint64(0x9D39247E33776D41)


@dataclass(frozen=True, slots=True)
class Iteration:
    """What the search found at one depth.

    ``score`` in centipawns or as a mate score, for the side to move; ``bound`` is "exact",
    "lower" or "upper"; ``time`` in milliseconds since `Searcher.begin`; ``hashfull`` in
    permille; ``pv`` 16-bit moves: complete for an exact score, the refuting move alone for
    a lower bound, empty for an upper one; ``multipv`` counts the lines of a depth from 1.
    ``ending`` tells how an exact line ends, ``None`` for a bound.
    """

    depth: int
    seldepth: int
    score: int
    bound: str
    nodes: int
    time: int
    hashfull: int
    pv: tuple[int, ...]
    multipv: int = 1
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The root move that is being searched now, ``number`` from 1; told in long searches."""

    depth: int
    move: int
    number: int


@dataclass(slots=True)
class RootMove:
    """A move at the root: its last exact score, line and ending, its nodes at this depth."""

    move: int
    score: int = -INFINITE
    line: tuple[int, ...] = ()
    ending: Ending | None = None
    nodes: int = 0


class Searcher:
    """A position and all that searching it needs: the table and the thread's record."""

    def __init__(self, hash_mb: int = 16, selective: bool = True) -> None:
        """Allocate a table of ``hash_mb`` MB, none for 0; `MemoryError` when it cannot be had.

        A search that is not ``selective`` prunes and reduces nothing.
        """
        self.pos: Any = new_position()
        self.soft: float | None = None
        self.net: Any = default_network()
        self._parameters: dict[str, int] = {}
        self._thread: Any = self._new_thread()
        self._thread.selective = selective
        self._table = Table(hash_mb) if hash_mb else NoTable()

    def _new_thread(self) -> Any:
        th = new_thread(net=self.net)
        if TUNING:
            set_parameters(th, self._parameters)
        return th

    @property
    def nodes(self) -> int:
        """Nodes of the last search; valid when it has ended."""
        return int(self._thread.nodes)

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        """Return the score of a root move: see `engine.search.pvs.search_root_move`."""
        return int(search_root_move(self.pos, self._thread, move, number, depth, alpha, beta))

    def best_line(self, move: int) -> tuple[tuple[int, ...], Ending]:
        """Return the line of the root ``move`` that was just searched exactly, and its ending."""
        return line(self._thread), ending(self._thread)

    def resize(self, hash_mb: int) -> int:
        """Replace the table and return its size in MB: the old one if there is no memory.

        What is plainly too much leaves the table as it is. Otherwise it goes first, since
        there may be no memory for both, and an empty one of its size comes back, at worst a
        smaller one.
        """
        old = self._table.megabytes
        if hash_mb != old and is_available(hash_mb - old):
            del self._table
            for size in (hash_mb, old, 1):
                with contextlib.suppress(MemoryError):
                    self._table = Table(size)
                    break
        return self._table.megabytes

    def evaluate(self, pos: Any) -> int:
        """Return the static score of a position in centipawns for the side to move."""
        record = new_record(EVALUATION)
        install(record, self.net)
        return int(evaluate_from_scratch(pos, record))

    def use_network(self, net: Any) -> None:
        """Evaluate with ``net`` from now on, and forget all that was learned with another."""
        self.net = net
        self.clear()

    def use_parameters(self, values: dict[str, int]) -> None:
        """Search with ``values`` from now on; others have their defaults. Only when tuning."""
        self._parameters = values
        set_parameters(self._thread, values)

    def clear(self) -> None:
        """Forget all that was learned: the next search is as if it were the first."""
        selective = self._thread.selective
        self._table.clear()
        self._thread = self._new_thread()
        self._thread.selective = selective

    def stop(self) -> None:
        """End the search within a few milliseconds; from any thread."""
        self._thread.stop = 1

    def begin(
        self,
        limits: Limits,
        soft: float | None,
        multipv: int = 1,
        root_moves: Sequence[int] | None = None,
    ) -> Iterator[Iteration | Progress]:
        """Start a search of ``pos`` and return its results, searched as they are asked for.

        It ends by itself at the depth or node limit, or when an iteration ends after about
        ``soft`` milliseconds (which may be set later through ``self.soft``), and after
        `stop`, which may come from now on. ``root_moves`` are the only ones considered.
        With ``limits.mate`` it ends at a mate in as many moves, and searches every move to
        that depth before it gives up.
        """
        th = self._thread
        th.stop = 0
        th.nodes = 0
        th.node_limit = _NO_LIMIT if limits.nodes is None else limits.nodes
        th.killers[:] = 0
        self.soft = soft
        self._table.grow_older()
        self._table.attach(th)
        search = _Search(self, th, self._table, root_moves, multipv)
        last_depth = MAX_PLY - 1 if limits.depth is None else limits.depth
        if limits.mate is not None:
            return search.find_mate(limits.mate, last_depth)
        return search.deepen(last_depth)


class _Search:
    """One search, from `Searcher.begin` to its end."""

    def __init__(
        self,
        searcher: Searcher,
        th: Any,
        table: Table | NoTable,
        root_moves: Sequence[int] | None,
        multipv: int,
    ) -> None:
        self._searcher = searcher
        self._th = th
        self._table = table
        self._start = clock()
        legal = legal_moves(searcher.pos)
        wanted = set(legal if root_moves is None else root_moves)
        self._moves = [RootMove(move) for move in legal if move in wanted]
        self._lines = min(multipv, len(self._moves))
        self._found: RootMove | None = None

    def deepen(self, last_depth: int) -> Iterator[Iteration | Progress]:
        """Search depth by depth, and tell what every depth found."""
        if not self._moves:
            return
        previous_best, stable = RootMove(0), 0
        for depth in range(1, min(last_depth, MAX_PLY - 1) + 1):
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
                yield from self._salvage(depth, index)
                return
            yield from self._tell(depth, self._lines)

            best = self._moves[0]
            stable = stable + 1 if best.move == previous_best.move else 0
            drop = previous_best.score - best.score if depth > 1 else 0
            previous_best = RootMove(best.move, best.score)
            if self._late(stable, drop, share):
                return

    def _tell(self, depth: int, lines: int) -> Iterator[Iteration]:
        """Sort the first ``lines`` moves by their scores and tell their lines."""
        self._moves[:lines] = sorted(self._moves[:lines], key=lambda move: -move.score)
        for number, candidate in enumerate(self._moves[:lines], 1):
            yield self._exact(depth, candidate, number)

    def _salvage(self, depth: int, lines: int) -> Iterator[Iteration]:
        """Tell what is worth telling of a depth that was stopped after ``lines`` of its lines.

        That is the better move that was found, or where nothing deeper is known, all that was.
        """
        if lines == 0 and self._found and (self._lines == 1 or depth == 1):
            yield self._exact(depth, self._found)
        elif depth == 1:
            yield from self._tell(depth, lines)

    def find_mate(self, moves: int, last_depth: int) -> Iterator[Iteration | Progress]:
        """Search for a mate in ``moves``: selectively as usual, and then without any pruning."""
        depth = min(2 * moves - 1, last_depth, MAX_PLY - 1)
        enough = MATE - depth
        for result in self.deepen(depth):
            yield result
            if isinstance(result, Iteration) and result.bound == "exact" and result.score >= enough:
                return
        if not self._th.stop and depth == 2 * moves - 1:
            with self._apart():
                yield from self._prove(depth, enough)

    def _prove(self, depth: int, enough: int) -> Iterator[Iteration | Progress]:
        """Search the whole tree for a score of ``enough``, and then its line."""
        for beta in (enough, INFINITE):
            best = yield from self._pass(depth, 0, enough - 1, beta)
            if self._th.stop or best < enough:
                return
        yield self._exact(depth, self._moves[0])

    @contextlib.contextmanager
    def _apart(self) -> Iterator[None]:
        """Search without pruning, and under other keys: the table knows of pruned searches."""
        pos, th = self._searcher.pos, self._th
        past = pos.history["key"][: pos.height]
        pos.key ^= _UNPRUNED
        past ^= _UNPRUNED
        selective, th.selective = th.selective, 0
        try:
            yield
        finally:
            th.selective = selective
            pos.key ^= _UNPRUNED
            past ^= _UNPRUNED

    def _late(self, stable: int, drop: int, share: float) -> bool:
        """Return whether the time that this position deserves is spent."""
        soft = self._searcher.soft
        if soft is None:
            return False
        return len(self._moves) == 1 or self._elapsed() >= soft * stretch(stable, drop, share)

    def _aspirate(self, depth: int, index: int) -> Iterator[Iteration | Progress]:
        """Search ``moves[index:]`` with a window around the expected score, until it holds."""
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
            if self._elapsed() >= PROGRESS_AFTER:
                yield Progress(depth, candidate.move, index + number)
            before = int(self._th.nodes)
            score = self._searcher.search_root_move(candidate.move, number, depth, alpha, beta)
            candidate.nodes += int(self._th.nodes) - before
            if self._th.stop:
                break
            best = max(best, score)
            if score > alpha:
                alpha = score
                self._moves.remove(candidate)
                self._moves.insert(index, candidate)
                if score >= beta:
                    break
                candidate.score = score
                candidate.line, candidate.ending = self._searcher.best_line(candidate.move)
                self._found = candidate
                if number > 1 and self._tells():
                    yield self._exact(depth, candidate)
        return best

    def _elapsed(self) -> float:
        return clock() - self._start

    def _tells(self) -> bool:
        """Return whether the iteration in progress is worth a word."""
        return self._lines == 1 and self._elapsed() >= TELL_AFTER

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
            nodes=int(self._th.nodes),
            time=int(self._elapsed()),
            hashfull=self._table.fullness(),
            pv=pv,
            multipv=number,
            ending=ending,
        )
