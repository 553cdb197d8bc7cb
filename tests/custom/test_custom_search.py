"""The search with a user's evaluation: the example of the page, with every line checked."""

from pathlib import Path
from typing import Any

import chess
import pytest

from engine.custom.custom_searcher import CustomSearcher
from engine.custom.function import Evaluation
from engine.custom.variant import EvaluationVariant
from engine.datagen.root import new_root
from engine.evaluation.nnue import MAX_SCORE
from engine.jit.kernel import COMPILED
from engine.search.correction import _NON_PAWNS, _PAWNS
from engine.search.iterate import REPORT_AFTER
from engine.search.limits import Limits
from engine.search.tt import Table
from uci.apps.lab.pv_trace import SearchSetting, read_positions, sample_positions, trace_lines
from uci.chess_io.convert import fill
from uci.session.own_evaluation import read_function

ROOT = Path(__file__).parents[2]
EXAMPLE = f"{ROOT}/uci/library/my_eval.py:evaluate"
DEPTH, NUMBER = (8, 16) if COMPILED else (2, 3)
BOARDS = sample_positions(read_positions(ROOT / "tests" / "data" / "pv_positions.epd"), NUMBER)

VARIANT = EvaluationVariant(Evaluation(read_function(EXAMPLE)))

pytestmark = [pytest.mark.interpreted, pytest.mark.slow]


def test_the_function_evaluates_every_position() -> None:
    searcher, python = CustomSearcher(VARIANT, 1), VARIANT.evaluation.interpreted()
    pos = searcher.pos
    for board in BOARDS:
        fill(pos, board)
        expected = python(pos.board, pos.by_type, pos.by_colour, int(pos.side))
        assert searcher.evaluate(pos) == expected


def test_the_correction_is_the_searchs_own() -> None:
    """No rule replaces the user's function, so endgames have a correction, too."""
    searcher = CustomSearcher(VARIANT, 1)
    fill(searcher.pos, chess.Board("8/8/8/4k3/8/8/3QK3/8 w - - 0 1"))
    assert not searcher.evaluates_by_rule(searcher.pos)
    assert searcher.correction(searcher.pos) == 0
    searcher._threads[0].th.correction[:] = 512
    assert searcher.correction(searcher.pos) == 512 * (_PAWNS + 2 * _NON_PAWNS) // 4096


def test_its_lines_are_legal_and_true() -> None:
    setting = SearchSetting("own", Limits(depth=DEPTH))
    *_, result = trace_lines(CustomSearcher(VARIANT, 1), BOARDS, setting)
    assert result.positions == len(BOARDS)
    assert not result.failed(), result.tally.faults


def test_threads_search_it_and_no_network() -> None:
    searcher = CustomSearcher(VARIANT, 1, threads=2)
    fill(searcher.pos, BOARDS[0])
    assert [*searcher.begin(Limits(depth=DEPTH), None)]
    for thread in searcher._threads:
        assert thread.th.nodes > 0
        for field in ("accumulator", "accumulator_state", "changes"):
            assert not thread.th[field].any(), field


def too_much(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    return 10**9 if side == 0 else float("nan")


def test_scores_beyond_the_range_are_clamped_and_told_once() -> None:
    told: list[str] = []
    searcher = CustomSearcher(EvaluationVariant(Evaluation(too_much)), 1, report=told.append)
    boards = sorted(BOARDS, key=lambda board: board.turn)
    for board in boards * 2:
        fill(searcher.pos, board)
        assert searcher.evaluate(searcher.pos) == (MAX_SCORE if board.turn else 0)
    assert len(told) == 1
    assert "±15,000" in told[0]


def test_a_network_is_refused() -> None:
    searcher = CustomSearcher(VARIANT, 1)
    with pytest.raises(ValueError, match="evaluates, not a network"):
        searcher.use_network(searcher.net)


@pytest.mark.long
def test_the_search_of_the_arena_is_the_same() -> None:
    searcher, table = CustomSearcher(VARIANT, 1), Table(1)
    searcher.report_after = REPORT_AFTER
    for board in BOARDS:
        searcher.clear()
        table.clear()
        fill(searcher.pos, board)
        *_, last = searcher.begin(Limits(depth=DEPTH), None)
        other = CustomSearcher(VARIANT, 1)
        fill(other.pos, board)
        th, root = other._threads[0].th, new_root(1 << 40, 1 << 40, DEPTH)
        table.attach(th)
        VARIANT.search_game(other.pos, th, root)
        assert (last.score, last.pv[0]) == (root.score, root.move)
        assert searcher.nodes == th.nodes
