"""With one thread, the same commands give the same nodes, lines and scores."""

import threading
import time
from typing import Any

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search.iterate import SearchThread
from engine.search.limits import Limits
from engine.search.searcher import Searcher
from helpers.naive_search import facts, replay, search
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS

GUARD = 60.0
"""Seconds within which a stopped search ends on the slowest machine."""


def transcript(searcher: Searcher, depth: int) -> list[Any]:
    """Search some positions without clearing in between; return all results."""
    told = []
    for fen in POSITIONS[11:15]:
        fill(searcher.pos, board_of(fen))
        told.append(facts(search(searcher, depth)))
    return told


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_the_same_commands_the_same_nodes() -> None:
    depth = 8 if COMPILED else 2
    searcher = Searcher(1)
    first = transcript(searcher, depth)
    assert transcript(searcher, depth) != first, "the table is of no use"
    searcher.clear()
    assert transcript(searcher, depth) == first
    search(searcher, nodes=777)
    searcher.clear()
    assert transcript(searcher, depth) == first
    assert transcript(Searcher(1), depth) == first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "first"), [("static_eval", 0), ("reduction", 2), ("double_extensions", 2)]
)
def test_what_other_lines_left_decides_nothing(
    field: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search does not read values that other lines left in the record, below null moves too."""
    found, searched = [], SearchThread.search_root_move
    for stain in (0, 99):
        searcher = Searcher(1)

        def search_root_move(
            thread: SearchThread, *arguments: int, stain: int = stain, searcher: Searcher = searcher
        ) -> int:
            searcher._thread[field][first:] = stain
            return searched(thread, *arguments)

        with monkeypatch.context() as patch:
            patch.setattr(SearchThread, "search_root_move", search_root_move)
            found.append(transcript(searcher, 15 if COMPILED else 2))
    assert found[0] == found[1]


def test_a_resized_table_is_as_good_as_a_new_one() -> None:
    searcher = Searcher(1)
    transcript(searcher, 6)
    searcher.resize(2)
    searcher.clear()
    assert transcript(searcher, 8) == transcript(Searcher(2), 8)


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_the_node_limit_is_exact() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(POSITIONS[1]))
    for nodes in [*range(1, 60), 1000, 4097, 33333, 250_000][: None if COMPILED else 20]:
        search(searcher, nodes=nodes)
        assert searcher.nodes == nodes


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_a_search_leaves_the_position_as_it_was() -> None:
    searcher = Searcher(1)
    for fen in POSITIONS[:4]:
        fill(searcher.pos, board_of(fen))
        visible = {name: searcher.pos[name].tolist() for name in ("board", "by_type", "by_colour")}
        key, game_ply = searcher.pos.key, searcher.pos.game_ply
        search(searcher, nodes=1234 if COMPILED else 99)
        assert {name: searcher.pos[name].tolist() for name in visible} == visible
        assert (searcher.pos.key, searcher.pos.game_ply) == (key, game_ply)


def test_stop_from_another_thread() -> None:
    searcher = Searcher(1)
    board = chess.Board(chess960=True)
    fill(searcher.pos, board)
    for delay in (0.0, 0.02, 0.1):
        iterations = searcher.begin(Limits(infinite=True), None)
        found: list[Any] = []
        worker = threading.Thread(target=lambda told=found, todo=iterations: told.extend(todo))
        worker.start()
        time.sleep(delay)
        searcher.stop()
        worker.join(GUARD)
        assert not worker.is_alive()
        for iteration in found:
            replay(board, iteration.pv)
        assert searcher.nodes > 0


@pytest.mark.interpreted
def test_stop_before_the_first_iteration() -> None:
    """`stop` works from `begin` on, and only for the search that was begun."""
    searcher = Searcher(1)
    fill(searcher.pos, chess.Board(chess960=True))
    iterations = searcher.begin(Limits(infinite=True), None)
    searcher.stop()
    assert list(iterations) == []
    assert len(search(searcher, 2)) == 2


@pytest.mark.interpreted
def test_the_soft_limit_ends_between_two_iterations() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, chess.Board(chess960=True))
    assert [i.depth for i in searcher.begin(Limits(), 0)] == [1]
    fill(searcher.pos, board_of("7k/6Q1/8/8/8/8/8/K7 b - - 0 1"))
    assert [i.depth for i in searcher.begin(Limits(), 1_000_000)] == [1], "there is one move only"


@pytest.mark.interpreted
def test_a_soft_limit_that_comes_late_ends_what_it_would_have_ended() -> None:
    """With a late soft limit the search ends as if it had had that limit from the beginning."""
    searcher = Searcher(1)
    fill(searcher.pos, chess.Board(chess960=True))
    results = searcher.begin(Limits(), None)
    first = next(results)
    searcher.set_soft_limit(1_000_000)
    assert next(results).depth == first.depth + 1
    searcher.set_soft_limit(0)
    assert list(results) == [], "no other depth was begun"
    fill(searcher.pos, board_of("7k/6Q1/8/8/8/8/8/K7 b - - 0 1"))
    results = searcher.begin(Limits(), None)
    assert len([next(results), next(results)]) == 2
    searcher.set_soft_limit(1_000_000)
    assert list(results) == [], "there is one move only"


@pytest.mark.interpreted
def test_depth_limits() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, chess.Board(chess960=True))
    for depth in (1, 2):
        assert [iteration.depth for iteration in search(searcher, depth)] == [1, 2][:depth]
