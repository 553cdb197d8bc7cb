"""The compiled root visits the same nodes as the engine's own root, with the same results."""

import random
from typing import Any

import numpy as np
import pytest

from engine.datagen.root import new_root, search
from engine.jit.kernel import COMPILED
from engine.search.results import Iteration
from engine.search.searcher import Searcher
from engine.search.thread import THREAD, new_thread
from engine.search.tt import Table
from helpers.naive_search import each, random_positions
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS


def told(searcher: Searcher, soft: int, hard: int) -> list[Iteration]:
    """Return a search's results up to the first iteration that ends at ``soft`` nodes or more."""
    results = []
    for last in each(searcher, nodes=hard):
        results.append(last)
        if last.bound == "exact" and soft <= last.nodes < hard:
            break
    return results


def compare(boards: list[Any], soft: int, hard: int) -> int:
    """Compare searches of ``boards``, one after the other without clearing in between.

    Return how often the last result was a lower bound.
    """
    raised = list[bool]()
    searcher, table, th = Searcher(1), Table(1), new_thread()
    table.attach(th)
    for board in boards:
        fill(searcher.pos, board)
        expected = told(searcher, soft, hard)
        root = new_root(soft, hard)
        fill(searcher.pos, board)
        search(searcher.pos, th, root)
        assert th.nodes == searcher.nodes, board
        if expected:
            assert root.move == expected[-1].pv[0], board
        exact = [each for each in expected if each.bound == "exact"]
        assert root.length == (len(exact[-1].pv) if exact else 0)
        if exact:
            assert root.score == exact[-1].score, board
            assert tuple(root.line[: root.length]) == exact[-1].pv, board
        raised.append(bool(expected) and expected[-1].bound == "lower")
    assert searcher.nodes > 0
    for name in set(THREAD.names or ()) - {"table", "signal"}:
        assert np.array_equal(th[name], searcher._thread[name]), name
    assert np.array_equal(table._words, searcher.table._words)
    return sum(raised)


@pytest.mark.slow
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("soft", "hard"), [(5000, 40_000), (1000, 1300), (4000, 4000)] if COMPILED else [(50, 400)]
)
def test_the_same_tree(soft: int, hard: int) -> None:
    boards = list(random_positions(soft, 12)) + [board_of(fen) for fen in POSITIONS]
    random.Random(soft).shuffle(boards)
    raised = compare(boards if COMPILED else boards[:6], soft, hard)
    assert raised or not COMPILED or soft < hard


@pytest.mark.interpreted
def test_the_same_tree_interpreted() -> None:
    compare([board_of(fen) for fen in POSITIONS[-4:]], 40, 300)


@pytest.mark.interpreted
def test_limits() -> None:
    searcher = Searcher(1)
    th = searcher._thread
    searcher.table.attach(th)
    fill(searcher.pos, board_of(POSITIONS[0]))
    root = new_root(1 << 40, 1 << 40, last_depth=2)
    search(searcher.pos, th, root)
    assert root.depth == 2
    assert root.length > 0
    root = new_root(1 << 40, 30)
    search(searcher.pos, th, root)
    assert th.nodes == 30
    fill(searcher.pos, board_of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    search(searcher.pos, th, new_root(100, 100))
    assert th.nodes == 0
