"""The proof that there is no mate: its stored results do not depend on the path to a position."""

from collections.abc import Iterator

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search import searcher as searcher_module
from engine.search.find_mate import MateSearch
from engine.search.results import Iteration, Progress
from engine.search.score import moves_to_mate
from engine.search.searcher import Searcher
from helpers.naive_search import minimax, plain_searcher, random_positions, search
from uci.chess_io.convert import board_of, fill

PERPETUAL = "6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32"


def positions() -> Iterator[chess.Board]:
    yield board_of(PERPETUAL)
    for board in random_positions(31, 2):
        board.halfmove_clock = 0
        yield board


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes")
def test_a_repetition_inside_the_tree_does_not_count() -> None:
    """Repetitions inside the tree do not count: the score is minimax without them."""
    searcher = plain_searcher()
    differing = 0
    for board in positions():
        fill(searcher.pos, board)
        searcher._thread.proving = 1
        for depth in (4, 3, 2):
            expected = minimax(searcher.pos, 0, depth, 60_000, inside=False)
            if expected is not None:
                assert search(searcher, depth)[-1].score == expected, board.fen()
                differing += expected != minimax(searcher.pos, 0, depth, 60_000)
                break
    assert differing


@pytest.mark.parametrize(("clock", "stores"), [(0, True), (94, True), (95, False), (98, False)])
def test_nothing_is_stored_where_the_fifty_moves_may_end(
    clock: int, stores: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters: list[int] = []

    class Watched(MateSearch):
        def _prove(self, depth: int, enough: int) -> Iterator[Iteration | Progress]:
            clusters.append(int(self._th.clusters))
            assert (self._th.selective, self._th.proving) == (0, 1)
            return super()._prove(depth, enough)

    monkeypatch.setattr(searcher_module, "MateSearch", Watched)
    searcher = Searcher(1)
    fill(searcher.pos, board_of(f"8/k7/8/8/8/8/K5R1/8 w - - {clock} 100"))
    search(searcher, mate=3)
    assert searcher.ruled_out
    assert [bool(count) for count in clusters] == [stores]
    th = searcher._thread
    assert (th.selective, th.proving, th.clusters != 0) == (1, 0, True)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes")
def test_a_mate_without_a_line_yet_is_a_lower_bound() -> None:
    """If the proof is stopped between a mate in a zero window and its line, it is a lower bound."""
    fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
    bounds = set()
    for nodes in range(20, 2000, 7):
        searcher = Searcher(1)
        fill(searcher.pos, board_of(fen))
        results = list(searcher.begin(searcher_module.Limits(mate=2, nodes=nodes), soft=0.0))
        last = [one for one in results if isinstance(one, Iteration)][-1]
        if moves_to_mate(last.score) is not None:
            bounds.add(last.bound)
            assert moves_to_mate(last.score) == 2
            assert last.pv[0] == results_of_the_mate(fen)
        assert not searcher.ruled_out
    assert "exact" in bounds


def results_of_the_mate(fen: str) -> int:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(fen))
    return search(searcher, mate=2)[-1].pv[0]
