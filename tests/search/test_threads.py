"""Lazy SMP: threads that share only the table, and the result that they agree on."""

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from engine.board.movegen import legal_moves
from engine.jit.kernel import COMPILED
from engine.memory import records
from engine.memory.records import address_of
from engine.memory.stop_signal import Signal
from engine.search import searcher as searcher_module
from engine.search.helpers import Helpers
from engine.search.iterate import Search
from engine.search.limits import Limits
from engine.search.race import Race
from engine.search.results import Iteration, Progress
from engine.search.searcher import Searcher
from engine.search.thread import new_thread
from engine.search.tt import Table
from helpers.naive_search import facts, search
from uci.apps.engines.pv_checks import LEGAL
from uci.apps.lab.pv_trace import UNEXPLAINED, SearchSetting, trace_lines
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS

LINE = 64
DEPTH, NUMBER = (9, 12) if COMPILED else (2, 1)


def lines_of(record: Any) -> set[int]:
    """Return the cache lines that a record occupies."""
    start = address_of(record)
    return set(range(start // LINE, (start + record.dtype.itemsize - 1) // LINE + 1))


@pytest.mark.interpreted
def test_no_cache_line_is_written_by_two_threads() -> None:
    """Except for the table, each thread writes only to its own cache lines; the signal has one."""
    searcher = Searcher(1, threads=3)
    mine = [lines_of(record) for each in searcher._threads for record in (each.th, each.pos)]
    mine.append({searcher._signal.address // LINE})
    mine.append(set(range(searcher._thread.table // LINE, searcher._thread.table // LINE + 1)))
    assert sum(map(len, mine)) == len(set().union(*mine))
    assert all(address_of(each.th) % LINE == 0 for each in searcher._threads)
    assert all(each.th.signal == searcher._signal.address for each in searcher._threads)


@pytest.mark.interpreted
@pytest.mark.slow
def test_one_thread_after_eight_is_deterministic_again() -> None:
    searcher, fresh = Searcher(1, threads=8), Searcher(1)
    for fen in POSITIONS[:NUMBER]:
        fill(searcher.pos, board_of(fen))
        search(searcher, DEPTH)
    assert searcher.use_threads(1) == 1
    for fen in POSITIONS[:NUMBER]:
        fill(searcher.pos, board_of(fen))
        fill(fresh.pos, board_of(fen))
        assert facts(search(searcher, DEPTH)) == facts(search(fresh, DEPTH)), fen


@pytest.mark.parametrize("after", range(12))
def test_as_many_threads_as_there_is_memory_for(
    monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """Memory runs out ``after`` so many allocations, and is available again later."""
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))
    search(searcher, 4)
    taken = 0

    def scarce(take: Callable[[int], Any]) -> Callable[[int], Any]:
        def taking(size: int) -> Any:
            nonlocal taken
            taken += 1
            if taken > after:
                raise MemoryError
            return take(size)

        return taking

    with monkeypatch.context() as patch:
        patch.setattr(records, "_memory", scarce(records._memory))
        patch.setattr(searcher_module, "allocate", scarce(searcher_module.allocate))
        got = searcher.use_threads(4)
        # One allocation is shared; each thread has three: a stack, a record and a position.
        assert got == searcher.threads == 1 + max(0, min(9, after - 1)) // 3
    fresh = Searcher(1, threads=got)
    for each in (searcher, fresh):
        fill(each.pos, board_of(POSITIONS[1]))
    if got == 1:
        assert facts(search(searcher, 6)) == facts(search(fresh, 6)), "all is forgotten"
    assert search(searcher, 4)
    assert searcher.use_threads(4) == 4
    assert search(searcher, 4)


def test_without_a_thread_to_spare_the_table_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    table, record = Table(1), new_thread()
    table.attach(record)
    table._words[:] = 1

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        table.clear(4)
    assert not table._words.any()


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.parametrize("threads", [2, 8])
@pytest.mark.parametrize("limits", [Limits(depth=DEPTH), Limits(nodes=30_000 if COMPILED else 60)])
def test_every_line_is_as_good_as_that_of_one_thread(threads: int, limits: Limits) -> None:
    boards = [board_of(fen) for fen in POSITIONS[:NUMBER]]
    searcher = Searcher(1, threads=threads)
    *_, result = trace_lines(searcher, boards, SearchSetting("", limits, 1))
    assert not result.failed(), result.tally.faults
    assert result.classes[UNEXPLAINED] == 0


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 8])
@pytest.mark.parametrize("lines", [2, 5])
def test_several_lines_are_as_good_with_threads(threads: int, lines: int) -> None:
    """With threads all lines are legal, complete and explained by their ends."""
    boards = [board_of(fen) for fen in POSITIONS[:6]]
    searcher = Searcher(1, threads=threads)
    *_, result = trace_lines(
        searcher, boards, SearchSetting("", Limits(depth=DEPTH - 1), 1, multipv=lines)
    )
    assert not result.failed(), result.tally.faults
    assert result.tally.applied[LEGAL] >= lines * len(boards) * (DEPTH - 1) - 10


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 8])
@pytest.mark.parametrize("lines", [3, 40])
@pytest.mark.parametrize("limits", [Limits(depth=5), Limits(nodes=20_000)])
def test_each_depth_has_its_best_lines_in_order(threads: int, lines: int, limits: Limits) -> None:
    """The lines of a depth begin with different moves, in descending order of score."""
    searcher = Searcher(1, threads=threads)
    searcher.report_after = searcher.progress_after = math.inf
    complete = 0
    for fen in POSITIONS[1:4]:
        fill(searcher.pos, board_of(fen))
        wanted = min(lines, len(legal_moves(searcher.pos)))
        told = [each for each in searcher.begin(limits, None, lines) if isinstance(each, Iteration)]
        assert searcher.nodes <= (limits.nodes or math.inf)
        for _, group in itertools.groupby(told, lambda each: each.depth):
            depth = {each.multipv: each for each in group if each.bound == "exact"}
            assert list(depth) == list(range(1, len(depth) + 1))
            assert len({each.pv[0] for each in depth.values()}) == len(depth)
            scores = [each.score for each in depth.values()]
            assert scores == sorted(scores, reverse=True)
            complete += len(depth) == wanted
    assert complete >= 3 * (limits.depth or 1)


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("nodes", [1, 3, 8, 1000])
def test_the_threads_share_the_nodes(threads: int, nodes: int) -> None:
    searcher = Searcher(1, threads=threads)
    for fen in POSITIONS[1:4]:
        fill(searcher.pos, board_of(fen))
        told = [each.nodes for each in searcher.begin(Limits(nodes=nodes), None)
                if isinstance(each, Iteration)]  # fmt: skip
        assert searcher.nodes <= nodes
        assert told == sorted(told)
        assert searcher.nodes >= nodes // threads


@pytest.mark.parametrize(
    ("limits", "lines"),
    [(Limits(depth=7, nodes=5000, alone=True), 1), (Limits(nodes=5000, alone=True), 4),
     (Limits(mate=3, nodes=5000), 1)],
)  # fmt: skip
def test_alone_or_for_a_mate_a_search_is_that_of_one_thread(limits: Limits, lines: int) -> None:
    several, one = Searcher(1, threads=8), Searcher(1)
    for fen in POSITIONS[1:4]:
        told = []
        for searcher in (several, one):
            fill(searcher.pos, board_of(fen))
            results = [
                (each.depth, each.nodes, each.score, each.pv)
                for each in searcher.begin(limits, None, lines)
                if isinstance(each, Iteration)
            ]
            told.append((results, searcher.nodes))
        assert told[0] == told[1]
        assert told[0][1] > 1000


def test_a_stop_reaches_all() -> None:
    """A stop reaches all threads, also while each root move is reported."""
    searcher = Searcher(1, threads=4)
    searcher.progress_after = 0.0
    fill(searcher.pos, board_of(POSITIONS[1]))
    running: list[threading.Thread] = []
    for each in searcher.begin(Limits(), None):
        if isinstance(each, Iteration) and each.depth >= 6 and not running:
            running = [thread for thread in threading.enumerate() if "helper" in thread.name]
            assert len(running) == 3
            searcher.stop()
    assert running
    assert not any(thread.is_alive() for thread in running)
    assert all(each.th.stop for each in searcher._threads)


def test_an_abandoned_search_leaves_no_thread_behind() -> None:
    searcher = Searcher(1, threads=3)
    fill(searcher.pos, board_of(POSITIONS[1]))
    results = searcher.begin(Limits(), None)
    next(results)
    del results
    assert not [thread for thread in threading.enumerate() if "helper" in thread.name]


def found(move: int, score: int, depth: int) -> Iteration:
    return Iteration(depth, depth, score, "exact", 1, 1, 1, (move,))


@pytest.mark.interpreted
@pytest.mark.parametrize("until", [0, 1, 3, 9])
def test_each_helper_starts_the_next_one(monkeypatch: pytest.MonkeyPatch, until: int) -> None:
    """Each helper starts the next one, and none is started once the search is over."""
    over, started = threading.Event(), list[tuple[str, str]]()
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        started.append((threading.current_thread().name, thread.name))
        if len(started) == until:
            over.set()
        start(thread)

    class Waiting(Search):
        def __init__(self) -> None:
            pass

        def deepen(self, last_depth: int) -> Iterator[Iteration | Progress]:
            over.wait(60)
            return iter(())

    monkeypatch.setattr(threading.Thread, "start", noted)
    helpers = Helpers([Waiting() for _ in range(5)], lambda: over.is_set() or until == 0)
    helpers.start()
    if until > 5:
        while len(started) < 5:
            time.sleep(0.001)
        over.set()
    helpers.join()
    names = [threading.current_thread().name, *(f"helper {n}" for n in range(1, 6))]
    assert started == list(itertools.pairwise(names))[:until]


@pytest.mark.interpreted
def test_the_depths_are_shared_out() -> None:
    def depths(threads: int, last_depth: int) -> list[int]:
        race = Race(Signal(), threads, last_depth)
        return [race.enter(number, 5) for number in range(threads)]

    assert depths(1, 20) == [5]
    assert depths(2, 20) == [5, 6]
    assert depths(4, 20) == [5, 5, 6, 6]
    assert depths(8, 6) == [5, 5, 5, 5, 6, 6, 6, 6]
    assert depths(4, 5) == [5, 5, 5, 5]
    assert depths(4, 0) == [5, 5, 5, 5], "everybody for himself"


@pytest.mark.interpreted
def test_who_is_done_with_a_depth_shares_the_next() -> None:
    race = Race(Signal(), 2, 20)
    assert (race.enter(1, 1), race.enter(2, 1)) == (1, 2)
    assert race.enter(1, 2) == 3
    assert race.enter(2, 3) == 4
    assert race.enter(2, 5) == 5
    assert race.enter(1, 4) == 6


def race_of(last_depth: int, found: Iteration) -> tuple[Search, Race]:
    """Return a search of the start position alone, and a race in which another thread ``found``."""
    searcher, signal = Searcher(1), Signal()
    fill(searcher.pos, board_of(None))
    searcher._thread.signal, searcher._thread.node_limit = signal.address, 1 << 40
    race = Race(signal, 2, last_depth)
    race.finish(found)
    return Search(searcher._threads[0], searcher.table, race, lambda: (searcher.nodes, 0)), race


@pytest.mark.interpreted
def test_a_depth_that_another_has_finished_is_left() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))
    theirs = [each for each in search(searcher, 2) if isinstance(each, Iteration)][-1]
    theirs = replace(theirs, pv=(legal_moves(searcher.pos)[-1],), score=77)
    results = race_of(3, theirs)[0].deepen(3)
    # A slow machine reports better moves of a depth before its end.
    adopted, *_, own = (each for each in results if isinstance(each, Iteration))
    assert (adopted.depth, own.depth) == (2, 3)
    assert (adopted.pv, adopted.score) == (theirs.pv, 77)
    assert adopted.nodes <= 2
    assert own.score != 77


@pytest.mark.interpreted
def test_what_counts_beyond_the_last_depth_is_nobodys_result() -> None:
    mine, _ = race_of(2, found(1, 20, 3))
    assert [each.depth for each in mine.deepen(2) if isinstance(each, Iteration)] == [1, 2]


@pytest.mark.interpreted
def test_the_end_brings_what_another_has_found() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(None))
    move = legal_moves(searcher.pos)[3]
    mine, race = race_of(9, found(move, 20, 3))
    race.end()
    (told,) = mine.deepen(9)
    assert isinstance(told, Iteration)
    assert (told.depth, told.pv, told.score) == (3, (move,), 20)


def test_the_table_is_cleared_by_all() -> None:
    searcher = Searcher(2, threads=3)
    fill(searcher.pos, board_of(None))
    search(searcher, 4)
    searcher.table._words[:] = 7
    searcher.clear()
    assert not searcher.table._words.any()
    searcher.table._words[:] = 7
    searcher.clear()
    assert searcher.table._words.all(), "fresh memory is not touched"
