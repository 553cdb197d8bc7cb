"""The lines of the real search, traced to their ends: guarantees, and faults that break them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search.correction import MAX_CORRECTION
from engine.search.limits import Limits
from engine.search.results import Iteration, Progress
from engine.search.searcher import Searcher
from engine.search.triangular import Ending
from helpers.client import run
from helpers.naive_search import search
from uci.apps.engines.pv_checks import COMPLETE, LEGAL
from uci.apps.lab.compare_variants import run_variants
from uci.apps.lab.pv_trace import (
    DRAW,
    EVALUATION,
    MATED,
    REFINED,
    SETTINGS,
    UNEXPLAINED,
    SearchSetting,
    TraceResult,
    classify,
    run_trace,
    sample_positions,
    trace_lines,
)
from uci.chess_io.convert import board_of, fill
from uci.chess_io.positions import read_positions
from uci.errors import UciError

POSITIONS = Path(__file__).parents[1] / "data" / "pv_positions.epd"
SHALLOW = SearchSetting("shallow", Limits(depth=6 if COMPILED else 2))
PLAIN = SearchSetting("plain", Limits(depth=3 if COMPILED else 1), plain=True)
QUICK = [setting for setting in SETTINGS if (setting.limits.nodes or 0) < 1_000_000]


def result(searcher: Searcher, setting: SearchSetting, positions: int) -> TraceResult:
    *_, last = trace_lines(
        searcher, sample_positions(read_positions(POSITIONS), positions), setting
    )
    return last


def test_a_thousand_positions() -> None:
    boards = read_positions(POSITIONS)
    assert len({board.epd() for board in boards}) == len(boards) == 1000
    assert all(board.is_valid() and any(board.legal_moves) for board in boards)
    assert any(board.halfmove_clock > 90 for board in boards)
    kinds = [line.split('"')[1].split()[0] for line in POSITIONS.read_text().splitlines()[1:]]
    assert {kinds.count(kind) for kind in kinds} == {250}
    assert {*kinds} == {"opening", "selfplay", "endgame", "tactics"}
    assert len(sample_positions(boards, 8)) == 8
    assert sample_positions(boards, None) == sample_positions(boards, 2000) == boards


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="a million nodes take hours")
def test_every_promise_is_kept() -> None:
    """All guarantees hold on one position of each kind; ``make pv`` tests all, in all settings."""
    said: list[str] = []
    assert run_trace(POSITIONS, 4, said.append, QUICK) == 0, said
    assert said[-1] == "all checks passed"
    rows = said[-1 - len(QUICK) : -1]
    assert all(row.startswith(each.name) for row, each in zip(rows, QUICK, strict=True))


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_without_table_and_pruning_a_score_is_the_evaluation_of_the_end() -> None:
    found = result(Searcher(0, selective=False), PLAIN, 16)
    assert not found.failed()
    assert found.classes[EVALUATION] > 16
    assert not found.classes[REFINED]


@pytest.mark.parametrize(
    ("fen", "depth", "kind"),
    [
        (chess.STARTING_FEN, 1, EVALUATION),
        ("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", 3, MATED),
        ("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32", 4, DRAW),
        ("8/8/8/8/8/4k3/8/KB6 w - - 0 1", 2, DRAW),
        ("7k/8/8/3Q4/4Q3/8/8/K7 b - - 99 90", 3, DRAW),
    ],
)
def test_what_a_score_is(fen: str, depth: int, kind: str) -> None:
    """The kind of each score is recognised, also after its score, value or line was changed."""
    board = board_of(fen)
    searcher = Searcher(1)
    fill(searcher.pos, board)
    told = search(searcher, depth)[-1]
    assert classify(told, board, searcher.evaluate) == kind
    assert told.ending is not None
    value = told.ending.value
    assert classify(replace(told, score=value + 1), board, searcher.evaluate) == UNEXPLAINED
    another = replace(told, score=value + 1, ending=Ending(value + 1, told.ending.main_plies))
    found = classify(another, board, searcher.evaluate)
    assert found == (REFINED if kind == EVALUATION else UNEXPLAINED)
    off = value + MAX_CORRECTION + 1
    far = replace(told, score=off, ending=Ending(off, told.ending.main_plies))
    assert classify(far, board, searcher.evaluate) == UNEXPLAINED
    assert classify(replace(told, ending=None), board, searcher.evaluate) == UNEXPLAINED
    assert classify(replace(told, pv=(*told.pv, 0)), board, searcher.evaluate) == UNEXPLAINED


class Stub(Searcher):
    """A searcher that drops the last move of each line."""

    def begin(self, *arguments: Any) -> Iterator[Iteration | Progress]:
        for told in super().begin(*arguments):
            assert isinstance(told, Iteration)
            plies = told.ending.main_plies if told.ending else 0
            ending = told.ending and told.ending._replace(main_plies=min(plies, len(told.pv) - 1))
            yield replace(told, pv=told.pv[:-1], ending=ending)


class Liar(Searcher):
    """A searcher that yields illegal lines."""

    def begin(self, *arguments: Any) -> Iterator[Iteration | Progress]:
        for told in super().begin(*arguments):
            assert isinstance(told, Iteration)
            yield replace(told, pv=(*told.pv, *told.pv[-1:]))


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="needs some depth")
def test_stubs_and_lies_are_found() -> None:
    stubs = result(Stub(1), SHALLOW, 16)
    assert {COMPLETE, UNEXPLAINED} <= {*stubs.failed()}
    assert LEGAL not in stubs.failed()
    lies = result(Liar(1), SHALLOW, 16)
    assert {LEGAL, COMPLETE, UNEXPLAINED} <= {*lies.failed()}
    assert lies.tally.faults


def test_a_broken_promise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.searcher.Searcher", Stub)
    said: list[str] = []
    assert run_trace(None, 8, said.append, [SHALLOW]) == 1
    assert said[-1].startswith("shallow: complete")


class Interrupted(Searcher):
    """A searcher that is interrupted by Ctrl-C during its third search."""

    searches = 0

    def begin(self, *arguments: Any) -> Iterator[Iteration | Progress]:
        self.searches += 1
        if self.searches == 3:
            raise KeyboardInterrupt
        return super().begin(*arguments)


def test_a_ctrl_c_leaves_the_table_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.searcher.Searcher", Interrupted)
    said: list[str] = []
    assert run_trace(None, 4, said.append, [SHALLOW]) == 130
    assert said[-2].split()[:2] == ["shallow", "2"]
    assert said[-1].startswith("stopped")


def test_a_ctrl_c_leaves_the_variants_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.lab.variants.VARIANTS", ("one", "two"))
    monkeypatch.setattr(
        "engine.lab.variants.VariantSearcher", lambda _, hash_mb: Interrupted(hash_mb)
    )
    monkeypatch.setattr("engine.lab.laboratory.LAB.warm", lambda _: None)
    said: list[str] = []
    assert run_variants(None, 2, 2, said.append) == 0
    assert [row.split()[:2] for row in said[-2:]] == [["one", "2"], ["two", "2"]]
    assert run_variants(None, 4, 2, said.append) == 130
    assert said[-1].split()[:2] == ["one", "2"]
    assert "stopped" in said[-3]


def test_one_line_in_a_thousand_may_be_a_stub() -> None:
    found = TraceResult(SHALLOW)
    found.tally.add(chess.Board(), [(COMPLETE, "")] * 998 + [(COMPLETE, "a stub")])
    assert found.failed() == [COMPLETE]
    found.tally.add(chess.Board(), [(COMPLETE, "")])
    assert not found.failed()
    found.tally.add(chess.Board(), [(LEGAL, "")] * 9998 + [(LEGAL, "no move")])
    assert found.failed() == [LEGAL]


def test_a_file_that_holds_no_positions(tmp_path: Path) -> None:
    (tmp_path / "bad.epd").write_text("nonsense\n")
    with pytest.raises(UciError, match=r"bad\.epd"):
        read_positions(tmp_path / "bad.epd")
    with pytest.raises(UciError, match=r"could not read .*: No such file"):
        read_positions(tmp_path / "none.epd")
    (tmp_path / "empty.epd").write_text("# nothing\n")
    with pytest.raises(UciError, match="no positions"):
        read_positions(tmp_path / "empty.epd")


@pytest.mark.parametrize(
    ("words", "mistake"),
    [
        (["--epd", "nowhere.epd"], "could not read nowhere.epd"),
        (["--json"], "--json cannot be used with --truth"),
    ],
)
def test_mistakes_get_a_line(words: list[str], mistake: str, root: Path) -> None:
    told = run(root, "pv-lab", "--truth", *words)
    assert told.returncode == 2
    assert told.stdout == ""
    assert mistake in told.stderr
    assert len(told.stderr.splitlines()) == 1
