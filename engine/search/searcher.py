"""The searcher: a position, a table and one or more threads that search it together."""

import contextlib
from collections.abc import Iterator, Sequence

from engine.board.annotations import Position
from engine.board.types import MAX_PLY, WHITE
from engine.evaluation.network import default_network, fingerprint, install
from engine.evaluation.nnue import EVALUATION, evaluate_from_scratch
from engine.evaluation.shape import Network
from engine.memory.available import is_available
from engine.memory.large_pages import allocate
from engine.memory.records import copy_record, new_record, wipe
from engine.memory.stop_signal import Signal
from engine.search.find_mate import MateSearch
from engine.search.helpers import Helpers, idle_threads
from engine.search.history import HISTORY_DECAY
from engine.search.iterate import PROGRESS_AFTER, REPORT_AFTER, Search, SearchThread
from engine.search.limits import Limits
from engine.search.parameters import TUNING, set_parameters
from engine.search.race import Race
from engine.search.results import Iteration, Progress
from engine.search.table_setting import TableSetting
from engine.search.thread import THREAD, set_up
from engine.search.thread_data import ThreadData
from engine.search.tt import NoTable, Table

_NO_LIMIT = 1 << 62

_STACK, _ROOM = 8 << 20, 64 << 20
"""Bytes to leave free: for the stack of each thread, and for everything else."""

_OTHERS = 3
"""Threads to leave free: the leader's, its clock's and the tablebases'."""


class Searcher:
    """A position and all that searching it needs: the table, and a record for each thread.

    One thread at a time may call it, but while a search runs any may `stop` it (a word in memory
    that the kernels read) and call `set_soft_limit`. `evaluate` uses a record
    of its own. Helpers only use their own records and the race, which has a lock.
    """

    _dtype = THREAD

    def __init__(self, hash_mb: int = 16, selective: bool = True, threads: int = 1) -> None:
        """Allocate a table of ``hash_mb`` MiB, none for 0; `MemoryError` if there is no memory.

        A search that is not ``selective`` prunes and reduces nothing. After ``report_after``
        milliseconds it also yields bounds and better moves inside an iteration, after
        ``progress_after`` also every root move before it is searched.
        """
        self._soft: float | None = None
        self._leader: Search | None = None
        self.report_after, self.progress_after = REPORT_AFTER, PROGRESS_AFTER
        self.ruled_out = False
        self.completed: Iteration | None = None
        """The deepest completed result of the last search, of any thread."""
        self.net: Network = default_network()
        self._selective = selective
        self.parameters: dict[str, int] = {}
        """The search parameters that are not at their defaults."""
        self._tables: TableSetting | None = None
        self.fifty = True
        """Whether the scores in the table count the fifty-move rule in tablebase results."""
        self.draw_score = (0, 0)
        """What a draw is worth in the table, for White to move and for Black."""
        self._probe = 0
        self._signal = Signal()
        self.table = Table(hash_mb) if hash_mb else NoTable()
        self._threads = [self._new_thread() for _ in range(threads)]

    def _new_thread(self) -> SearchThread:
        return SearchThread(self._new_record())

    def _new_record(self) -> ThreadData:
        th = new_record(self._dtype)
        self._set_up(th)
        return th

    def _set_up(self, th: ThreadData) -> None:
        """Initialise a zeroed record for this searcher."""
        set_up(th, self.net)
        th.selective = self._selective
        th.signal = self._signal.address
        if TUNING:
            set_parameters(th, self.parameters)

    @property
    def pos(self) -> Position:
        """The position to search: a record to fill."""
        return self._threads[0].pos

    @property
    def _thread(self) -> ThreadData:
        """The leading thread's record."""
        return self._threads[0].th

    @property
    def records(self) -> list[ThreadData]:
        """The records of all threads, the leading one first."""
        return [thread.th for thread in self._threads]

    @property
    def nodes(self) -> int:
        """Nodes of the last search, of all threads; approximate while it runs."""
        return sum(int(thread.th.nodes) for thread in self._threads)

    @property
    def tbhits(self) -> int:
        """Successful tablebase probes of the last search; approximate while it runs."""
        return sum(int(thread.th.tb_hits) for thread in self._threads)

    @property
    def threads(self) -> int:
        """The number of threads."""
        return len(self._threads)

    def use_threads(self, count: int) -> int:
        """Search with ``count`` threads from now on, or as many as the system gives.

        Return their number. The table and the histories are cleared, so that a search does not
        depend on earlier ones with other threads.
        """
        if count != self.threads:
            del self._threads[max(count, 1) :]
            self._add_threads(count)
            self.clear()
        return self.threads

    def _add_threads(self, count: int) -> None:
        """Allocate up to ``count`` threads, as many as leave enough memory and threads free."""
        with contextlib.suppress(MemoryError), idle_threads() as start_one:
            room = [allocate(_ROOM)]
            for _ in range(_OTHERS):
                start_one()
            while self.threads < count and is_available(THREAD.itemsize >> 20):
                room.append(allocate(_STACK))
                start_one()
                self._threads.append(self._new_thread())

    def resize(self, hash_mb: int) -> int:
        """Replace the table; return its size in MiB, which is smaller if there is no memory.

        A size that is not available leaves the table as it is. Otherwise the old one is freed
        first, since there may be no memory for both; if allocation fails, an empty table of the
        old size, a smaller one, or none (0) replaces it.
        """
        old = self.table.megabytes
        if hash_mb != old and is_available(hash_mb - old):
            self.table = NoTable()  # keep it if nothing can be allocated
            for size in (hash_mb, max(old, 1), 1):
                with contextlib.suppress(MemoryError):
                    self.table = Table(size)
                    break
        return self.table.megabytes

    def prefault(self) -> None:
        """Fault in a new table's pages now, so that the next search does not pay for it."""
        self.table.prefault(self.threads)

    def evaluate(self, pos: Position) -> int:
        """Return the static eval of a position in centipawns for the side to move."""
        record = new_record(EVALUATION)
        install(record, self.net)
        return int(evaluate_from_scratch(pos, record))

    def correction(self, pos: Position) -> int:
        """Return what the correction history adds to the static eval of a position.

        It is in centipawns for the side to move. Not while a search runs.
        """
        from engine.search.root_correction import root_correction

        return int(root_correction(pos, self._thread))

    def evaluates_by_rule(self, pos: Position) -> bool:
        """Return whether a rule evaluates a position, and not the network."""
        from engine.search.root_correction import evaluated_by_rule

        return bool(evaluated_by_rule(pos))

    def use_tables(self, tables: TableSetting | None) -> None:
        """Probe ``tables`` in the next searches, none without them.

        The first time `engine.syzygy.probe_entry.load_probe` loads or compiles the probe. When the
        fifty-move rule comes or goes, what was learned with tables is cleared.
        """
        if tables is not None and tables.fifty != self.fifty:
            self.fifty = tables.fifty
            self.clear()
        if tables is not None:
            from engine.syzygy.probe_entry import load_probe

            self._probe = load_probe()
        self._tables = tables

    def use_contempt(self, contempt: int, side: int) -> None:
        """Score draws ``-contempt`` centipawns for ``side`` (0 white, 1 black), which is to move.

        What was learned with other scores of a draw is cleared.
        """
        draw_score = (-contempt, contempt) if side == WHITE else (contempt, -contempt)
        if draw_score != self.draw_score:
            self.draw_score = draw_score
            self.clear()

    def use_network(self, net: Network) -> None:
        """Evaluate with ``net`` from now on; clear table and histories."""
        self.net = net
        self.clear()

    def use_parameters(self, values: dict[str, int]) -> None:
        """Search with these values of parameters, others at their defaults. Only when tuning."""
        self.parameters = values
        for thread in self._threads:
            set_parameters(thread.th, values)

    def clear(self) -> None:
        """Clear table and histories: the next search is as if it were the first."""
        self.table.clear(self.threads)
        for thread in self._threads:
            try:
                thread.use(self._new_record())  # faster than zeroing the old one
            except MemoryError:
                wipe(thread.th)
                self._set_up(thread.th)

    def evaluation_id(self) -> str:
        """Return a text that identifies the evaluation."""
        return fingerprint(self.net)

    def stop(self) -> None:
        """End the search within a few milliseconds; from any thread."""
        self._signal.set()

    def set_soft_limit(self, soft: float) -> None:
        """Change the soft limit of the search that runs, in milliseconds from its `begin`.

        The search ends at once if the new limit would have ended it after a depth already searched.
        """
        self._soft = soft
        leader = self._leader
        if leader is not None and leader.max_expired_soft >= soft:
            self.stop()

    def begin(
        self,
        limits: Limits,
        soft: float | None,
        multipv: int = 1,
        root_moves: Sequence[int] | None = None,
    ) -> Iterator[Iteration | Progress]:
        """Start a search of ``pos`` and return an iterator of its results.

        It ends at the depth or node limit, or after `stop`. It also ends after an iteration beyond
        a soft limit: ``soft`` milliseconds or ``limits.soft_nodes``, times
        `engine.search.limits.soft_scale`. `stop` and `set_soft_limit` may be called from now on.
        Only ``root_moves`` are considered, if they are given.
        With ``limits.mate`` it ends at a mate in so many moves, or after a search without pruning
        to that depth, whatever the soft limit; ``self.ruled_out`` then says whether there is none.
        Of several threads the first one's results are yielded. At the end comes the result to play
        if it was not the last: an exact one, or a lower bound of a move that failed high.
        """
        self._soft, self._leader = soft, None
        self.ruled_out, self.completed = False, None
        self._signal.clear()
        self.table.new_search()
        # Helpers do not take part in a mate search.
        active = 1 if limits.alone or limits.mate is not None else self.threads
        self._prepare(limits.nodes, active)
        lead, *others = self._threads[:active]
        last_depth = MAX_PLY - 1 if limits.depth is None else limits.depth
        racing = multipv == 1 and limits.mate is None
        race = Race(self._signal, active, last_depth if racing else 0)

        def of(thread: SearchThread, lines: int, uses_clock: bool, kind: type[Search]) -> Search:
            soft = (lambda: self._soft) if uses_clock else (lambda: None)
            search = kind(thread, self.table, race, self._count, root_moves, lines, soft)
            search.report_after, search.progress_after = self.report_after, self.progress_after
            search.soft_nodes = limits.soft_nodes if uses_clock else None
            return search

        if limits.mate is not None:
            search = of(lead, multipv, True, MateSearch)
            assert isinstance(search, MateSearch)
            return self._together(search, self._find_mate(search, limits.mate, last_depth), race)
        self._leader = of(lead, multipv, True, Search)
        helpers = [of(each, 1, racing, Search) for each in others if each.th.node_limit > 0]
        return self._together(self._leader, self._leader.deepen(last_depth), race, helpers)

    def _find_mate(
        self, search: MateSearch, moves: int, last_depth: int
    ) -> Iterator[Iteration | Progress]:
        self.ruled_out = yield from search.find_mate(moves, last_depth)

    def _prepare(self, nodes: int | None, active: int) -> None:
        """Prepare the threads for the position; the ``active`` ones share ``nodes`` evenly."""
        for number, thread in enumerate(self._threads):
            th = thread.th
            th.stop = th.nodes = 0
            th.node_limit = _NO_LIMIT if nodes is None else (nodes - 1 - number) // active + 1
            th.killers[:] = 0
            th.draw_score[:] = self.draw_score
            th.history -= th.history >> HISTORY_DECAY
            self.table.attach(th)
            thread.table_cache.attach(th, self._tables, self._probe)
            if number > 0:
                copy_record(thread.pos, self.pos)

    def _count(self) -> tuple[int, int]:
        return self.nodes, self.tbhits

    def _together(
        self,
        lead: Search,
        results: Iterator[Iteration | Progress],
        race: Race,
        others: Sequence[Search] = (),
    ) -> Iterator[Iteration | Progress]:
        """Yield the leader's results while the ``others`` help, then the final one if it differs.

        That is the deepest completed result of any thread, unless an unfinished depth has found
        something better.
        """
        last: Iteration | None = None
        helpers = Helpers(others, race.is_over)
        helpers.start()
        try:
            for result in results:
                if isinstance(result, Iteration) and result.multipv == 1 and result.pv:
                    last = result
                yield result
        finally:
            self._leader = None  # it would keep a replaced table alive
            if others:
                self._signal.set()
            helpers.join()
        self.completed = best = race.deepest(lead.completed)
        unfinished = [lead, *others] if race.last_depth else [lead]
        salvaged = max((each.salvage(best) for each in unfinished), key=_rank)
        if not salvaged and best is not None and last is not best:
            salvaged = [best]
        yield from map(lead.again, salvaged)


def _rank(results: Sequence[Iteration]) -> tuple[int, int]:
    """Return a sort key for a thread's results, by depth and score of the last; least for none."""
    return (results[-1].depth, results[-1].score) if results else (0, 0)
