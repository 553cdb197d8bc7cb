"""The search against naive minimax: scores, lines, bounds, with a table and without."""

import random
from collections.abc import Iterator
from typing import Any

import chess
import pytest

from engine.board.makemove import make, unmake
from engine.board.movegen import legal_moves
from engine.jit.kernel import COMPILED
from engine.search import iterate
from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.searcher import Searcher
from helpers.cases import at_least
from helpers.naive_search import (
    final,
    is_over,
    minimax,
    plain_searcher,
    random_positions,
    search,
    static_score,
)
from uci.chess_io.convert import board_of, fill

passes = [pytest.mark.interpreted, pytest.mark.boundscheck]
few = pytest.param(3, 1, 60 if not COMPILED else 500, id="few", marks=passes)
few_deeper = pytest.param(3, 1, 1_500, id="few", marks=pytest.mark.boundscheck)
many = pytest.param(1, 40, 5_000, id="many", marks=pytest.mark.slow)
myriads = pytest.param(2, 500, 20_000, id="myriads", marks=pytest.mark.long)


def scores(pos: Any, most: int, returning: bool = True) -> list[int]:
    """Return the minimax scores of depth 1, 2, ... up to 4, up to the first that takes too long."""
    found: list[int] = []
    for depth in range(1, 5):
        score = minimax(pos, 0, depth, most, returning)
        if score is None:
            break
        found.append(score)
    return found


def root_scores(pos: Any, depth: int) -> dict[int, int]:
    """Return the minimax score of every root move."""
    found = {}
    for move in legal_moves(pos):
        make(pos, move)
        score = minimax(pos, 1, depth - 1)
        unmake(pos)
        assert score is not None
        found[move] = -score
    return found


def check_line(pos: Any, iteration: Iteration) -> None:
    """Check the line of an exact iteration: every move keeps the score, none is missing, and none
    comes after the end of the game.
    """
    value = iteration.score
    ended = False
    for ply, move in enumerate(iteration.pv, 1):
        assert not ended
        make(pos, move)
        value = -value
        assert minimax(pos, ply, iteration.depth - ply) == value
        ended = is_over(pos, ply)
    assert ended or (ply >= iteration.depth and static_score(pos) == value)
    for _ in iteration.pv:
        unmake(pos)


@pytest.mark.parametrize(("seed", "games", "most"), [few, many, myriads])
def test_score_and_line_are_minimax(seed: int, games: int, most: int) -> None:
    searcher = plain_searcher()
    tried = 0
    for board in random_positions(seed, games):
        fill(searcher.pos, board)
        if expected := scores(searcher.pos, most):
            tried += 1
            iterations = search(searcher, len(expected))
            assert [iteration.score for iteration in iterations] == expected, board.fen()
            for iteration in iterations:
                check_line(searcher.pos, iteration)
    assert tried > 6 * games


def scores_at_ply_2(pos: Any) -> dict[int, int]:
    """Return the minimax scores of depth 2 that a search of depth 4 stores at ply 2, by key."""
    found = {}
    for first in legal_moves(pos):
        make(pos, first)
        for second in legal_moves(pos):
            make(pos, second)
            score = minimax(pos, 2, 2)
            assert score is not None
            found[int(pos.key)] = score
            unmake(pos)
        unmake(pos)
    return found


def score_with_leaves(pos: Any, known: dict[int, int], ply: int = 0) -> int:
    """Return the minimax score of depth 4, with ``known`` scores (by key) for leaves."""
    if ply == 4 and int(pos.key) in known:
        return known[int(pos.key)]
    if ply == 4 or is_over(pos, ply):
        score = minimax(pos, ply, 4 - ply)
        assert score is not None
        return score
    found = []
    for move in legal_moves(pos):
        make(pos, move)
        found.append(-score_with_leaves(pos, known, ply + 1))
        unmake(pos)
    return max(found)


def fresh_positions(
    searcher: Searcher, seed: int, games: int, depth: int, most: int
) -> Iterator[chess.Board]:
    """Yield boards with halfmove clock 0 whose minimax scores are known up to ``depth``.

    Each is also set as the searcher's position.
    """
    for board in random_positions(seed, games):
        board.halfmove_clock = 0
        fill(searcher.pos, board)
        if len(scores(searcher.pos, most, returning=False)) >= depth:
            yield board


@pytest.mark.parametrize(("seed", "games", "most"), [few, many, myriads])
def test_the_table_does_not_change_the_score(
    seed: int, games: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a table, empty at first, scores up to depth 4 are equal if no draw depends on the path.

    Then a stored position occurs again with the same depth, or as a leaf that a piece reaches by a
    detour, with the score of ply 2. Beyond depth 4 an entry may be deeper than minimax. Narrow
    windows, which often fail, use entries of every bound.
    """
    monkeypatch.setattr(iterate, "ASPIRATION_DEPTH", 2)
    monkeypatch.setattr(iterate, "ASPIRATION", 3)
    searcher = plain_searcher(table=True)
    games = max(1, games // 2)
    for board in at_least(6 * games, fresh_positions(searcher, seed + 10, games, 1, most)):
        expected = scores(searcher.pos, most, returning=False)
        searcher.clear()
        found = [iteration.score for iteration in search(searcher, len(expected))]
        if len(expected) == 4 and found[3] != expected[3]:
            expected[3] = score_with_leaves(searcher.pos, scores_at_ply_2(searcher.pos))
        assert found == expected, board.fen()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "depth"),
    [
        ("8/8/8/K7/8/1P6/k7/8 w - - 0 1", 7),
        ("6k1/8/8/1K6/8/8/2P5/8 b - - 0 1", 7),
        ("8/2k5/1p6/8/8/3P4/8/6K1 w - - 0 1", 6),
        ("8/2K5/8/6P1/6B1/8/5k2/8 b - - 0 1", 6),
        ("5K2/2k5/8/6P1/6P1/8/5n2/8 b - - 0 1", 6),
    ],
)
def test_aspiration_is_minimax(fen: str, depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Aspiration windows begin at depth 5, which naive minimax reaches only in small endgames."""
    monkeypatch.setattr(iterate, "ASPIRATION", 1)
    searcher = plain_searcher()
    fill(searcher.pos, board_of(fen))
    iterations = search(searcher, depth, talkative=True)
    assert {iteration.bound for iteration in iterations} > {"exact"}
    expected = {d: minimax(searcher.pos, 0, d, 10_000_000) for d in range(1, depth + 1)}
    assert {i.depth: i.score for i in final(iterations)} == expected
    for iteration in iterations:
        if iteration.bound == "upper":
            assert iteration.score >= expected[iteration.depth]
        else:
            assert iteration.score <= expected[iteration.depth]


@pytest.mark.slow
@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize(("seed", "games", "most"), [few_deeper, (1, 30, 3_000), myriads])
def test_every_bound_holds(seed: int, games: int, most: int, table: bool) -> None:
    """Any zero window returns a true bound of a move's score.

    The table is filled by searches of the same positions with other windows. Positions have seven
    pieces or more: with few, quiescence may find one that was searched deeper, with a better score.
    """
    rng = random.Random(seed)
    searcher = plain_searcher(table)
    boards = fresh_positions(searcher, seed + 20, games, 2, most)
    if table:
        boards = (board for board in boards if chess.popcount(board.occupied) >= 7)
    for board in at_least(2 * games if table else 5 * games, boards):
        depth = len(scores(searcher.pos, most, returning=False))
        searcher.clear()
        searcher.begin(Limits(), None)
        expected = root_scores(searcher.pos, depth)
        for _ in range(5):
            alpha = rng.choice([*expected.values()]) + rng.choice([-30, -1, 0, 1, 30])
            for move, truth in expected.items():
                score = searcher._threads[0].search_root_move(move, 2, depth, alpha, alpha + 1)
                assert alpha < score <= truth or alpha >= score >= truth, board.fen()


@pytest.mark.parametrize("lines", [2, 3, 500])
def test_several_lines_are_the_best_ones(lines: int) -> None:
    searcher = plain_searcher()

    def is_known(board: chess.Board) -> bool:
        fill(searcher.pos, board)
        return len(scores(searcher.pos, 2_000)) >= 3

    for _ in at_least(6, filter(is_known, list(random_positions(4, 6))[::3])):
        expected = root_scores(searcher.pos, 3)
        best = sorted(expected.values(), reverse=True)[:lines]
        told = [i for i in searcher.begin(Limits(depth=3), None, lines) if i.depth == 3]
        assert [i.score for i in told] == best
        assert [i.multipv for i in told] == list(range(1, len(best) + 1))
        assert len({i.pv[0] for i in told}) == len(told)
        for iteration in told:
            assert expected[iteration.pv[0]] == iteration.score
            check_line(searcher.pos, iteration)
        only = list(expected)[::2]
        told = list(searcher.begin(Limits(depth=3), None, root_moves=only))
        assert told[-1].score == max(expected[move] for move in only)
