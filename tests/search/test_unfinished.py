"""The last result of a search that is stopped within a depth, which is played."""

import itertools
from collections.abc import Iterator

import pytest

from engine.jit.kernel import COMPILED
from engine.search.iterate import Search
from engine.search.limits import Limits
from engine.search.race import Race
from engine.search.results import Iteration
from engine.search.score import MATE_IN_MAX
from engine.search.searcher import Searcher
from helpers.cases import at_least
from helpers.naive_search import each, search
from uci.chess_io.convert import board_of, fill, move_to_uci
from uci.session.bench import POSITIONS

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes"),
]

LOOSE_BISHOP = "rn1qkbnr/ppp1ppp1/8/3p1b1p/4P1P1/2N4P/PPPP1P2/R1BQKBNR b KQkq - 0 1"
MATED = "6Q1/5r1r/8/8/1k5K/2b5/2q5/8 w - - 0 1"
MATED_AT_FIRST = (
    "1br4r/p3kB2/4Nn2/1Pp3p1/7p/1P4PK/P2q3P/B1R4R w - - 1 40",
    "B7/p1q2q2/8/8/3K4/8/5kb1/8 w - - 0 1",
)
"""Positions where the first move searched gets mated, and others do not."""
ATTACK = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"


def stopped(fen: str, nodes: int) -> list[Iteration]:
    """Return all results of a new search of ``nodes`` nodes."""
    searcher = Searcher(1)
    fill(searcher.pos, board_of(fen))
    return list(each(searcher, talkative=True, nodes=nodes))


def key(result: Iteration) -> tuple[int, str, int, int]:
    return result.depth, result.bound, result.score, result.pv[0]


@pytest.mark.slow
def test_a_move_that_failed_high_is_played() -> None:
    """If the search stops while a failed-high move is searched again, that move is played."""
    played = 0
    for fen in (ATTACK, *POSITIONS[1::7]):
        results = stopped(fen, 60_000)
        for result, following in itertools.pairwise(results):
            if result.bound == "lower" and following.nodes - result.nodes > 2:
                middle = (result.nodes + following.nodes) // 2
                last = stopped(fen, middle)[-1]
                assert last.nodes == middle
                if following.bound != "upper" and following.pv[0] == result.pv[0]:
                    assert (last.depth, last.pv[0]) == (result.depth, result.pv[0])
                    assert last.bound == "lower" or last.score >= min(result.score, following.score)
                    played += last.bound == "lower"
    assert played > 3


def test_the_fail_high_of_a_short_search_is_not_lost() -> None:
    """A fail-high counts although no bound is printed in the first second."""
    found = 0
    for fen in POSITIONS[1:6]:
        bounds = [result for result in stopped(fen, 60_000) if result.bound == "lower"]
        if bounds:
            searcher = Searcher(1)
            fill(searcher.pos, board_of(fen))
            last = search(searcher, nodes=bounds[0].nodes + 1)[-1]
            assert key(last) == key(bounds[0])
            assert len(last.pv) == 1
            found += 1
    assert found > 1


@pytest.mark.slow
def test_a_fail_low_revokes_the_fail_high() -> None:
    """After a fail-low, the last completed result is played, and printed again."""
    revoked = 0
    for fen in POSITIONS:
        results = stopped(fen, 40_000)
        for before, result in itertools.pairwise(results):
            if before.bound == "lower" and result.bound == "upper":
                last = stopped(fen, result.nodes + 1)[-1]
                exact = [one for one in results[: results.index(result)] if one.bound == "exact"]
                assert key(last) == key(exact[-1])
                revoked += 1
    assert revoked


def is_mated(result: Iteration) -> bool:
    return result.score <= -MATE_IN_MAX


@pytest.mark.slow
@pytest.mark.parametrize("fen", [MATED, "8/8/8/8/1q6/8/4k3/7K w - - 0 1"])
def test_a_mate_against_the_side_to_move_is_exact_only_when_all_moves_were_searched(
    fen: str,
) -> None:
    results = stopped(fen, 400_000)
    exact = {result.depth: key(result) for result in results if result.bound == "exact"}
    mates = [result for result in results if is_mated(result) and result.bound == "exact"]
    for result in at_least(3, mates):
        assert key(result) == exact[result.depth], "better moves of its depth came later"
    first, last = mates[0].nodes, mates[-1].nodes
    ends = [stopped(fen, nodes)[-1] for nodes in range(first, last + 1, (last - first) // 12)]
    for end in at_least(10, (end for end in ends if is_mated(end) and end.bound == "exact")):
        assert key(end) == exact[end.depth]


def mated_at_first(fen: str) -> Iterator[tuple[str, Iteration]]:
    """Yield a first root move that gets mated, and the last result of a search stopped after it.

    Searches with ever more nodes are made until the depth has found a better move.
    """
    for result, following in itertools.pairwise(stopped(fen, 1000)):
        if is_mated(result) and not is_mated(following):
            for nodes in range(result.nodes + 1, following.nodes):
                end = stopped(fen, nodes)[-1]
                if is_mated(end):
                    yield move_to_uci(result.pv[0], False), end


@pytest.mark.parametrize("fen", MATED_AT_FIRST)
def test_a_mate_that_others_may_avoid_is_not_walked_into(fen: str) -> None:
    for move, end in at_least(5, mated_at_first(fen)):
        assert end.bound == "lower"
        assert move_to_uci(end.pv[0], False) != move


def unfinished(fen: str, nodes: int, *known: Iteration) -> tuple[Search, Race]:
    """Return a thread's search of ``nodes`` and its race, in which ``known`` results came first."""
    searcher = Searcher(1)
    fill(searcher.pos, board_of(fen))
    searcher.begin(Limits(nodes=nodes), None)
    race = Race(searcher._signal, 2, 40)
    for result in known:
        race.finish(result)
    thread = Search(searcher._threads[0], searcher.table, race, lambda: (searcher.nodes, 0))
    list(thread.deepen(40))
    return thread, race


@pytest.mark.parametrize("nodes", [300, 1000, 3000, 10_000])
def test_a_thread_that_comes_late_begins_with_the_best_move(nodes: int) -> None:
    """A late thread searches the best move first, so its unfinished depth is compared with it."""
    known = search_to(LOOSE_BISHOP, 8)
    thread, race = unfinished(LOOSE_BISHOP, nodes, known)
    best = race.deepest(thread.completed)
    assert best is not None
    assert best.depth >= known.depth
    for result in thread.salvage(best):
        assert result.depth > best.depth
        assert move_to_uci(result.pv[0], False) != "e8d7"


def search_to(fen: str, depth: int) -> Iteration:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(fen))
    return search(searcher, depth)[-1]


def test_what_was_not_compared_with_the_best_result_is_dropped() -> None:
    for nodes in range(1000, 30_000, 1000):
        thread, _ = unfinished(LOOSE_BISHOP, nodes)
        best = thread.completed
        assert best is not None
        salvaged = thread.salvage(best)
        other = next(m.move for m in reversed(thread._moves) if m.move not in thread._searched)
        assert thread.salvage(Iteration(1, 1, 0, "exact", 1, 1, 1, (other,))) == []
        deeper = Iteration(99, 99, 0, "exact", 1, 1, 1, best.pv)
        assert thread.salvage(deeper) == []
        if salvaged:
            return
    raise AssertionError("nothing was salvaged")


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_several_threads_play_no_garbage_at_a_depth_that_is_not_reached(threads: int) -> None:
    searcher = Searcher(1, threads=threads)
    for _ in range(20):
        searcher.clear()
        fill(searcher.pos, board_of(LOOSE_BISHOP))
        last = search(searcher, depth=40, nodes=30_000)[-1]
        assert move_to_uci(last.pv[0], False) != "e8d7"
        assert last.score > -100
        assert last.depth < 40


@pytest.mark.parametrize("threads", [2, 4])
def test_no_result_is_deeper_than_asked_for(threads: int) -> None:
    searcher = Searcher(1, threads=threads)
    for fen in POSITIONS[:8]:
        fill(searcher.pos, board_of(fen))
        results = search(searcher, depth=6)
        assert [result.depth for result in results] == sorted(result.depth for result in results)
        assert results[-1].depth == 6
        assert results[-1].bound == "exact"
