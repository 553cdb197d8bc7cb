"""The principal variation: the triangular table, and every line that a search yields."""

import random
from itertools import accumulate
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.position import POSITION
from engine.board.types import BLACK, MAX_PLY, WHITE
from engine.evaluation.nnue import refresh_accumulator
from engine.jit.kernel import COMPILED
from engine.search import triangular
from engine.search.limits import Limits
from engine.search.quiescence import quiescence
from engine.search.results import Iteration
from engine.search.score import INFINITE, MATE, moves_to_mate
from engine.search.searcher import Searcher
from engine.search.thread import THREAD, new_thread
from engine.search.triangular import PV_FIELDS, PV_SIZE
from helpers import naive
from helpers.entries import entry
from helpers.naive_search import (
    facts,
    final,
    random_positions,
    replay,
    search,
    static_score,
)
from uci.apps.engines.pv_checks import line_may_end
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS

FENCED = np.dtype([("before", np.uint16, 8), *PV_FIELDS, ("after", np.uint16, 8)], align=True)
FENCE = 0xFFFF


@entry(np.int64)
def row_start(ply: Any) -> Any:
    return triangular.row_start(ply)


@entry(FENCED, np.int64)
def clear_row(record: Any, ply: Any) -> None:
    triangular.clear_row(record, ply)


@entry(FENCED, np.int64, np.int64, np.int64)
def end_row(record: Any, ply: Any, is_pv: Any, value: Any) -> Any:
    return triangular.end_row(record, ply, is_pv, value)


@entry(FENCED, np.int64, np.int64)
def update_row(record: Any, ply: Any, move: Any) -> None:
    triangular.update_row(record, ply, move)


@entry(POSITION, THREAD, np.int64)
def settle(pos: Any, th: Any, ply: Any) -> Any:
    refresh_accumulator(pos, th, ply, np.int64(WHITE))
    refresh_accumulator(pos, th, ply, np.int64(BLACK))
    return quiescence(pos, th, ply, np.int64(-INFINITE), np.int64(INFINITE))


def fenced() -> Any:
    """Return an empty table between two fences that no row may touch."""
    record = np.rec.array(np.zeros(1, FENCED))[0]
    record.before[:] = FENCE
    record.after[:] = FENCE
    return record


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_rows_are_dense() -> None:
    """Row starts agree by formula, increments and counting; the rows fill the table exactly."""
    starts = [int(row_start(ply)) for ply in range(MAX_PLY)]
    assert starts == [0, *accumulate(range(MAX_PLY, 1, -1))]
    assert starts == [sum(MAX_PLY - row for row in range(ply)) for ply in range(MAX_PLY)]
    assert starts[-1] + 1 == PV_SIZE == MAX_PLY * (MAX_PLY + 1) // 2


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
@settings(max_examples=50 if COMPILED else 4, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, MAX_PLY))
def test_rows_are_lists(rng: random.Random, deepest: int) -> None:
    """After random operations each row equals a Python list, and so does its ending."""
    record = fenced()
    rows: list[list[int]] = [[] for _ in range(MAX_PLY)]
    leaves = [0] * MAX_PLY
    for _ in range(100):
        ply = rng.randrange(deepest)
        if rng.random() < 0.2 or ply == MAX_PLY - 1:
            clear_row(record, ply)
            rows[ply], leaves[ply] = [], rng.randrange(-MATE, MATE)
            assert end_row(record, ply, 1, leaves[ply]) == leaves[ply]
            assert end_row(record, ply, 0, 7) == 7
        else:
            for row in range(ply, rng.randrange(-1, ply), -1):  # a new best move at each ply up
                move = rng.randrange(1, 1 << 16)
                update_row(record, row, move)
                rows[row], leaves[row] = [move, *rows[row + 1]], -leaves[row + 1]
    starts = [int(row_start(ply)) for ply in range(MAX_PLY)]
    for ply, row in enumerate(rows):
        assert record.pv_length[ply] == len(row)
        assert record.pv[starts[ply] :][: len(row)].tolist() == row
    assert record.pv_main.tolist() == record.pv_length.tolist()
    assert record.pv_leaf.tolist() == leaves
    assert triangular.line(record) == tuple(rows[0])
    assert triangular.ending(record) == (leaves[0], len(rows[0]))
    assert {*record.before.tolist(), *record.after.tolist()} == {FENCE}


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_the_longest_line_fits() -> None:
    record = fenced()
    for ply in range(MAX_PLY - 2, -1, -1):
        update_row(record, ply, ply + 1)
    assert triangular.line(record) == tuple(range(1, MAX_PLY))
    assert record.pv_length.tolist() == [*range(MAX_PLY - 1, 0, -1), 0]
    assert {*record.before.tolist(), *record.after.tolist()} == {FENCE}


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("ply", [MAX_PLY - 3, MAX_PLY - 2, MAX_PLY - 1])
def test_the_leaves_end_with_the_table(ply: int) -> None:
    """At the last plies a capture and its answer are cut short, without writing past the table."""
    pos, th = naive.position("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1"), new_thread()
    th.node_limit = 1000
    th.previous_pv[:] = FENCE
    score = settle(pos, th, ply)
    assert (score == static_score(pos)) == (ply == MAX_PLY - 1)
    assert th.pv_length[ply] == MAX_PLY - 1 - ply
    assert {*th.previous_pv.tolist()} == {FENCE}


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),
        ("7k/8/8/8/8/1n5p/7P/7K b - - 0 1", None),
        ("8/8/8/8/8/7p/5k1P/7K w - - 0 1", 0),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 3 - MATE),
        ("7k/8/6K1/8/8/8/8/R7 w - - 100 80", 0),
    ],
)
def test_a_leaf_notes_its_value(fen: str, score: int | None) -> None:
    pos, th = naive.position(fen), new_thread()
    th.node_limit = 1000
    value = settle(pos, th, 3)
    assert value == (static_score(pos) if score is None else score)
    assert (th.pv_length[3], th.pv_main[3], th.pv_leaf[3]) == (0, 0, value)


def check(board: chess.Board, iterations: list[Iteration]) -> None:
    """Check that every line is legal and complete."""
    for iteration in iterations:
        after = replay(board, iteration.pv)
        assert abs(iteration.score) < 20_000 or moves_to_mate(iteration.score) is not None
        if iteration.bound == "exact":
            assert iteration.pv, board.fen()
            assert len(iteration.pv) >= iteration.depth or line_may_end(after), board.fen()
            assert len(iteration.pv) <= iteration.seldepth < MAX_PLY
            assert iteration.ending is not None
            assert iteration.ending.value == iteration.score
            assert iteration.ending.main_plies >= min(iteration.depth, len(iteration.pv))
        else:
            assert iteration.ending is None
            assert len(iteration.pv) == (iteration.bound == "lower")


def boards(seed: int, games: int) -> list[chess.Board]:
    return [*random_positions(seed, games), *map(board_of, POSITIONS)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("games", "depth"),
    [
        pytest.param(1, 2 + 2 * COMPILED, marks=[pytest.mark.interpreted, pytest.mark.boundscheck]),
        (15, 9),
        pytest.param(150, 10, marks=pytest.mark.long),
    ],
)
def test_every_line_can_be_played(games: int, depth: int) -> None:
    searcher = Searcher(4)
    found = boards(1, games)
    for board in found[: None if depth > 4 else 12]:
        fill(searcher.pos, board)
        iterations = search(searcher, depth, talkative=True)
        check(board, iterations)
        assert [i.depth for i in final(iterations)] == list(range(1, depth + 1))


@pytest.mark.slow
def test_an_aborted_search_tells_less_but_nothing_else() -> None:
    """Whenever it is stopped, a search has yielded the first results of an undisturbed one.

    These may be followed by the best move of the unfinished depth, with its own line, and by a
    move that failed high.
    """
    rng = random.Random(3)
    searcher = Searcher(1)
    for board in boards(2, 2)[:30]:
        fill(searcher.pos, board)
        searcher.clear()
        whole = facts(search(searcher, 7))
        nodes = searcher.nodes
        for _ in range(12):
            searcher.clear()
            limit = rng.randrange(1, nodes + 1)
            aborted = search(searcher, 7, nodes=limit)
            told = facts(aborted)
            before = [one for one, same in zip(told, whole, strict=False) if one == same]
            assert before == whole[: len(before)]
            late = told[len(before) :]
            assert {one.depth for one in late} <= {len(before) + 1}
            assert [one.bound for one in late] in ([], ["exact"], ["lower"], ["exact", "lower"])
            assert searcher.nodes == limit
            check(board, aborted)


def test_several_lines_cut_short_begin_with_the_best() -> None:
    searcher = Searcher(1)
    fill(searcher.pos, board_of(POSITIONS[2]))
    best = search(searcher, 1)[0].pv
    enough = searcher.nodes
    cut = set()
    for limit in range(enough + 1, enough + 400, 7):
        searcher.clear()
        told = list(searcher.begin(Limits(nodes=limit), None, 4))
        depth_1 = [line for line in facts(told) if line.depth == 1]
        cut.add(len(depth_1))
        assert depth_1[0].pv == best
        assert [line.multipv for line in depth_1] == list(range(1, len(depth_1) + 1))
    assert len(cut) > 1


@pytest.mark.parametrize(
    ("fen", "limits"),
    [
        ("8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1", {"depth": 250}),
        pytest.param("8/8/8/8/4k3/8/4p3/4K3 w - - 0 1", {}, marks=pytest.mark.boundscheck),
    ],
)
def test_to_the_end_of_the_table(fen: str, limits: dict[str, int]) -> None:
    """Each depth up to the last gives one exact line; no row overflows, whatever the limits."""
    searcher = Searcher()
    board = board_of(fen)
    fill(searcher.pos, board)
    iterations = search(searcher, **limits)
    check(board, iterations)
    assert [i.depth for i in iterations] == list(range(1, MAX_PLY))
