"""Tablebases inside the search: scores, lines, the fifty-move rule, counts."""

import random
from pathlib import Path

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.score import MATE_IN_MAX, TB_WIN, TB_WIN_IN_MAX
from engine.search.searcher import Searcher
from engine.search.table_setting import TableSetting
from helpers.endgames import random_endgame
from helpers.fake_tables import constant_table
from helpers.naive_search import search
from helpers.syzygy import FOLDER, MEN, needs_four_men
from uci.apps.lab.pv_trace import TABLES, SearchSetting, trace_lines
from uci.chess_io.convert import fill, move_to_uci
from uci.chess_io.syzygy import Tables, open_tables
from uci.chess_io.syzygy_ranking import WdlValue

QUEEN_TAKES = chess.Board("8/8/8/3k4/8/8/1r6/KQ6 w - - 0 1")
"""After either capture of the rook, king and queen are left against the king."""


@pytest.fixture(scope="module")
def tables() -> Tables:
    """Return all the tables of the tests."""
    return open_tables(FOLDER)


def last(searcher: Searcher, board: chess.Board, depth: int) -> Iteration:
    """Return the result of a search to ``depth``."""
    fill(searcher.pos, board)
    return search(searcher, depth)[-1]


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("value", "fifty", "score"),
    [
        (2, True, TB_WIN - 1),
        (1, True, 0),
        (1, False, TB_WIN - 1),
        (0, True, 0),
        (-1, True, 0),
        (-1, False, 1 - TB_WIN),
        (-2, True, 1 - TB_WIN),
    ],
)
def test_scores(tmp_path: Path, value: int, fifty: bool, score: int) -> None:
    """Scores depend on the capture's distance from the root; the fifty-move rule makes draws."""
    searcher = Searcher(1)
    searcher.use_tables(TableSetting(constant_table(tmp_path, value), fifty=fifty))
    fill(searcher.pos, QUEEN_TAKES)
    moves = [
        move for move in searcher._threads[0].root_moves() if move_to_uci(move, True) == "a1b2"
    ]
    for depth in (1, 2):
        (found,) = [
            each
            for each in searcher.begin(Limits(depth=depth), None, 1, moves)
            if isinstance(each, Iteration) and each.depth == depth and each.bound == "exact"
        ]
        assert found.score == score
        assert found.tbhits == searcher.tbhits > 0


def test_when_tables_are_probed(tmp_path: Path) -> None:
    tables = constant_table(tmp_path, 2)
    searcher = Searcher(1)
    last(searcher, QUEEN_TAKES, 4)
    assert searcher.tbhits == 0
    searcher.use_tables(TableSetting(tables, limit=2))
    last(searcher, QUEEN_TAKES, 4)
    assert searcher.tbhits == 0
    nodes = []
    for depth in (100, 1):  # 100: only in PV nodes
        searcher.clear()
        searcher.use_tables(TableSetting(tables, depth=depth))
        last(searcher, QUEEN_TAKES, 4)
        assert searcher.tbhits > 0
        nodes.append(searcher.nodes)
    assert nodes[0] > nodes[1]
    castles = chess.Board("4k3/8/8/8/8/8/8/QQ2K2R w K - 0 1", chess960=True)
    last(searcher, castles, 2)
    assert searcher.tbhits == 0


def test_the_rule_comes_and_goes(tmp_path: Path) -> None:
    """Entries stored with the other setting of the fifty-move rule are cleared."""
    tables, searcher = constant_table(tmp_path, 1), Searcher(1)
    for fifty in (True, False, True):
        searcher.use_tables(TableSetting(tables, fifty=fifty))
        assert (last(searcher, QUEEN_TAKES, 6).score < TB_WIN_IN_MAX) == fifty


@needs_four_men
@pytest.mark.skipif(not COMPILED, reason="needs some depth")
def test_a_win_that_only_the_tables_know(tables: Tables) -> None:
    board = chess.Board("8/8/R6p/7k/6p1/3K4/8/r7 w - - 0 48")
    searcher = Searcher(16)
    assert last(searcher, board, 14).score < TB_WIN_IN_MAX
    assert tables.results is not None
    searcher.clear()
    searcher.use_tables(TableSetting(tables.results))
    assert TB_WIN > last(searcher, board, 14).score > TB_WIN_IN_MAX


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="many positions")
@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.long)])
def test_captures_that_win_by_the_tables(tables: Tables, number: int) -> None:
    """Of many captures, exactly those that the tables call won get the winning score."""
    rng, searcher = random.Random(1), Searcher(1)
    plain = Searcher(1)
    assert tables.results is not None
    searcher.use_tables(TableSetting(tables.results))
    found = better = 0
    while found < number:
        board = random_endgame(rng, MEN - 1)
        winning, others = set(), 0
        for move in list(board.legal_moves):
            capture = board.is_capture(move)
            board.push(move)
            if capture and tables.value(board) == WdlValue.LOSS:
                winning.add(move.uci())
            others += capture and move.uci() not in winning
            board.pop()
        if not winning or not others:
            continue
        found += 1
        result = last(searcher, board, 2)
        assert result.score > TB_WIN_IN_MAX
        assert move_to_uci(result.pv[0], True) in winning or result.score >= MATE_IN_MAX
        better += last(plain, board, 2).score < TB_WIN_IN_MAX
    assert better > number * 3 // 4, "without tables nothing is proved"


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_lines_end_with_the_value_of_the_tables(tables: Tables) -> None:
    """Lines are legal and complete, and python-chess's tables agree with their ends."""
    rng = random.Random(2)
    limits = Limits(depth=8 if COMPILED else 2)
    boards = [random_endgame(rng, rng.choice((MEN - 1, MEN))) for _ in range(12)]
    for plain in (False, True):
        limits = Limits(depth=3) if plain and COMPILED else limits
        searcher = Searcher(0 if plain else 1, selective=not plain)
        *_, result = trace_lines(searcher, boards, SearchSetting("", limits, plain=plain), tables)
        assert result.failed() == [], result.tally.faults
        assert not COMPILED or result.classes[TABLES] > 0


@pytest.mark.skipif(not COMPILED, reason="needs threads that search")
def test_threads(tables: Tables) -> None:
    """All threads probe, and their lines end with the tables' values, too."""
    rng = random.Random(3)
    searcher = Searcher(1, threads=3)
    boards = [random_endgame(rng, MEN) for _ in range(6)]
    limits = Limits(nodes=200_000)
    *_, result = trace_lines(searcher, boards, SearchSetting("", limits), tables)
    assert result.failed() == [], result.tally.faults
    hits = [int(thread.th.tb_hits) for thread in searcher._threads]
    assert sum(hits) == searcher.tbhits > 0
    assert all(thread.th.tb_probe for thread in searcher._threads)
    assert len({int(thread.th.tb_cache) for thread in searcher._threads}) == 3


def test_other_tables_later(tables: Tables, tmp_path: Path) -> None:
    """Cached pages of closed tables are not used for others."""
    searcher = Searcher(1)
    assert tables.results is not None
    for _ in range(2):
        searcher.use_tables(TableSetting(tables.results))
        searcher.clear()
        assert last(searcher, QUEEN_TAKES, 3).score > TB_WIN_IN_MAX
        searcher.use_tables(TableSetting(constant_table(tmp_path, 0)))
        searcher.clear()
        assert abs(last(searcher, QUEEN_TAKES, 3).score) < TB_WIN_IN_MAX
