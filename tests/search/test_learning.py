"""The learned tables of a search: histories of moves, and corrections of the evaluation."""

from typing import Any

import chess
import numpy as np
import pytest

from engine.board.makemove import make
from engine.board.position import POSITION
from engine.board.types import NO_MOVE
from engine.jit.kernel import COMPILED
from engine.search import correction, history
from engine.search.history import HISTORY_LIMIT, MAX_QUIET_HISTORY
from engine.search.limits import Limits
from engine.search.searcher import Searcher
from engine.search.thread import THREAD, new_thread
from engine.search.tt import EXACT, LOWER, NO_SCORE, UPPER
from helpers import naive
from helpers.entries import entry
from helpers.search_steps import plain
from uci.chess_io.convert import encode_move, fill

pytestmark = pytest.mark.interpreted

BOARD = chess.Board("r3k2r/ppp2ppp/2n1bn2/3p4/3P4/2N1BN2/PPP2PPP/R3K2R w - - 0 1", chess960=True)
PLY = 6


@entry(POSITION, THREAD, *[np.int64] * 4)
def remember(pos: Any, th: Any, ply: Any, depth: Any, move: Any, tried: Any) -> None:
    history.update_histories(pos, th, ply, depth, move, tried)


@entry(POSITION, THREAD, np.int64, np.int64)
def quiet_merit(pos: Any, th: Any, ply: Any, move: Any) -> Any:
    return history.quiet_history(pos, th, ply, move)


@entry(POSITION, THREAD, np.int64)
def noisy_merit(pos: Any, th: Any, move: Any) -> Any:
    return history.capture_history(pos, th, move)


@entry(THREAD, np.int64, np.int64)
def come_by(th: Any, ply: Any, conthist_index: Any) -> None:
    history.set_conthist_index(th, ply, conthist_index)


@entry(POSITION, THREAD)
def correction_value(pos: Any, th: Any) -> Any:
    return correction.correction_value(pos, th, np.int64(PLY))


@entry(POSITION, THREAD, *[np.int64] * 4)
def learn(pos: Any, th: Any, static: Any, score: Any, bound: Any, depth: Any) -> None:
    correction.update_correction(pos, th, np.int64(PLY), static, score, bound, depth)


def code(text: str) -> int:
    return encode_move(BOARD, chess.Move.from_uci(text))


def refute(th: Any, move: str, tried: str, depth: int = 5) -> None:
    """Update the histories as if ``move`` cut off after other moves were tried."""
    words = [code(text) for text in (*tried.split(), move)]
    th.tried[PLY, : len(words)] = words
    remember(naive.position(BOARD), th, PLY, depth, words[-1], len(words))


def merits(th: Any, *moves: str) -> list[int]:
    """Return the history scores of moves: capture history for captures."""
    pos = naive.position(BOARD)
    return [
        noisy_merit(pos, th, code(text))
        if BOARD.is_capture(chess.Move.from_uci(text))
        else quiet_merit(pos, th, PLY, code(text))
        for text in moves
    ]


def test_a_quiet_refutation() -> None:
    th = new_thread()
    refute(th, "f3e5", "c3d5 a2a3 h2h3")
    refuting, capture, failed, unknown = merits(th, "f3e5", "c3d5", "a2a3", "b2b3")
    assert refuting > 0 > capture
    assert -3 * refuting < failed < -refuting / 3
    assert unknown == 0
    assert list(th.killers[PLY]) == [code("f3e5"), NO_MOVE]
    refute(th, "a2a3", "")
    assert list(th.killers[PLY]) == [code("a2a3"), code("f3e5")]


def test_a_noisy_refutation_says_nothing_of_quiet_moves() -> None:
    th = new_thread()
    refute(th, "c3d5", "a2a3")
    assert merits(th, "c3d5", "a2a3")[0] > 0 == merits(th, "a2a3")[0]
    assert not th.killers.any()


def limit(table: str) -> int:
    """Return the limit of a table's values."""
    value = int(plain(getattr(history, f"_{table}_limit"))(new_thread()))
    assert value <= HISTORY_LIMIT
    return value


@pytest.mark.parametrize(
    ("table", "field", "move"),
    [("quiet", "history", "f3e5"), ("continuation", "continuation", "f3e5"),
     ("capture", "capture", "c3d5")],
)  # fmt: skip
def test_each_table_has_its_own_bonus_malus_and_limit(table: str, field: str, move: str) -> None:
    """Each table has its bonus and malus a ply, up to a maximum, and less near the limit."""
    values = {"bonus": 10, "bonus_most": 35, "malus": 7, "malus_most": 20, "limit": 40}
    values = {getattr(history, f"_{table}_{name}"): value for name, value in values.items()}
    step = plain(history.update_histories, values)
    pos = naive.position(BOARD)

    def learned(depth: int, times: int = 1) -> tuple[int, int]:
        """Return the move's value if it cut off, and if another move did after it."""
        good, bad = new_thread(), new_thread()
        for th, refuting in ((good, move), (bad, "b2b3")):
            for back in range(4):
                come_by(th, PLY - back, 100 + back)
            th.tried[PLY, 0] = code(move)
            for _ in range(times):
                step(pos, th, PLY, depth, code(refuting), 1)
        return int(good[field].max()), int(bad[field].min())

    assert learned(2) == (20, -14)
    assert learned(3) == (30, -20)
    assert learned(9) == (35, -20)
    assert learned(9, 50)[0] in range(36, 41)
    assert learned(9, 50)[1] in range(-40, -35)


def test_deep_refutations_count_more_and_none_too_much() -> None:
    shallow, deep = new_thread(), new_thread()
    refute(shallow, "f3e5", "", 2)
    refute(deep, "f3e5", "", 8)
    assert 0 < merits(shallow, "f3e5")[0] < merits(deep, "f3e5")[0]
    for _ in range(200):
        refute(deep, "f3e5", "a2a3 c3d5", 20)
    good, bad, capture = merits(deep, "f3e5", "a2a3", "c3d5")
    most = limit("quiet") + limit("continuation") * 5 // 2
    assert most * 0.9 < good <= most <= MAX_QUIET_HISTORY
    assert -most <= bad < -most * 0.9
    assert -limit("capture") <= capture < -limit("capture") * 0.9


@pytest.mark.parametrize("back", [0, 1, 3])
def test_what_came_before_counts(back: int) -> None:
    """A reply scores higher after the same move one, two or four plies ago than after others."""
    th = new_thread()
    come_by(th, PLY - back, 100)
    refute(th, "f3e5", "")
    same = merits(th, "f3e5")[0]
    come_by(th, PLY - back, 101)
    assert 0 < merits(th, "f3e5")[0] < same
    come_by(th, PLY - back, 100)
    come_by(th, PLY - 2, 5)
    assert merits(th, "f3e5")[0] == same


def cut_off(th: Any, move: int, share: int = 50) -> None:
    """Update the histories as if the table's ``move`` cut off a node, 5 plies deep."""
    step = plain(history.update_after_tt_cutoff, {history._tt_cutoff_bonus: share})
    step(naive.position(BOARD), th, PLY, 5, move)


def test_a_quiet_move_of_the_table_that_cuts_off_is_good() -> None:
    whole, half = new_thread(), new_thread()
    refute(whole, "f3e5", "")
    cut_off(half, code("f3e5"))
    assert half.history.sum() * 2 == whole.history.sum()
    assert 0 < half.continuation.sum() < whole.continuation.sum()
    assert half.threats[PLY] != 0
    for move, share in (
        (NO_MOVE, 50),
        (code("c3d5"), 50),
        (code("f3e5") ^ 1, 50),
        (code("f3e5"), 0),
    ):
        th = new_thread()
        cut_off(th, move, share)
        assert not any(th[table].any() for table in ("history", "continuation", "capture"))


def after(move: str) -> Any:
    """Return `BOARD` after ``move``: a position at ply `PLY` + 1."""
    pos = naive.position(BOARD)
    make(pos, code(move))
    return pos


def failed_low(
    th: Any, score: int, move: str = "f3e5", before: int = 10, share: int = 50, margin: int = 30
) -> None:
    """Update as if the node after ``move`` failed low with ``score``, 5 plies deep."""
    values = {history._fail_low_bonus: share, history._fail_low_margin: margin}
    th.static_eval[PLY] = before
    come_by(th, PLY + 1, 100)
    plain(history.update_after_fail_low, values)(after(move), th, PLY + 1, 5, score)


def test_a_quiet_move_to_a_node_that_fails_low_is_good() -> None:
    whole, half, other = new_thread(), new_thread(), new_thread()
    refute(whole, "f3e5", "")
    failed_low(half, -40)
    assert half.history.sum() * 2 == whole.history.sum()
    assert half.history.argmax() == whole.history.argmax()
    assert half.continuation[0, 100] > 0
    failed_low(other, -40, share=0)
    assert not other.history.any()


@pytest.mark.parametrize(
    ("score", "move", "before"), [(-39, "f3e5", 10), (-40, "f3e5", NO_SCORE), (-40, "c3d5", 10)]
)
def test_what_was_to_be_expected_or_is_unknown_is_not(score: int, move: str, before: int) -> None:
    th = new_thread()
    failed_low(th, score, move, before)
    assert not th.history.any()
    assert not th.capture.any()


def change(before: int, now: int, move: str = "f3e5") -> int:
    """Return a move's bonus by the static evals before and after it, each for the side to move."""
    th = new_thread()
    th.static_eval[PLY] = before
    values = {"slope": 10, "base": 20, "least": 120, "most": 300}
    step = plain(
        history.update_by_eval_change,
        {getattr(history, f"_change_{name}"): value for name, value in values.items()},
    )
    step(after(move), th, PLY + 1, now)
    assert not th.continuation.any()
    assert np.count_nonzero(th.history) == np.count_nonzero(th.history[BOARD.turn ^ 1])
    return int(th.history.sum())


def test_a_move_earns_what_it_changes_of_the_evaluation() -> None:
    assert change(30, -30) == 200
    assert change(30, -35) == 250
    assert change(30, -10) == 0
    assert change(30, -5) == -50
    assert change(30, -500) == 300
    assert change(30, 500) == -120
    assert change(NO_SCORE, -500) == change(30, -500, "c3d5") == 0


def test_quiet_history_fades_before_a_search() -> None:
    searcher = Searcher(hash_mb=1)
    fill(searcher.pos, BOARD)
    values = [1000, -1000, 3, -3, 0, HISTORY_LIMIT]
    searcher._thread.history[0, 0, 0, : len(values)] = values
    searcher.begin(Limits(nodes=1), None)
    assert list(searcher._thread.history[0, 0, 0, : len(values)]) == [750, -750, 3, -2, 0, 12288]


def error(th: Any, fen: str) -> int:
    return int(correction_value(naive.position(fen), th))


def teach(th: Any, fen: str, static: int, score: int, bound: int, times: int = 1) -> None:
    for _ in range(times):
        learn(naive.position(fen), th, static, score, bound, 8)


def test_errors_are_learned() -> None:
    th, fen = new_thread(), BOARD.fen()
    assert error(th, fen) == 0
    teach(th, fen, 20, 60, EXACT, 3)
    assert error(th, fen) > 0
    teach(th, fen, 20, -60, EXACT, 9)
    assert error(th, fen) < 0


def test_bounds_teach_only_where_they_tell() -> None:
    th, fen = new_thread(), BOARD.fen()
    teach(th, fen, 20, 10, LOWER)
    teach(th, fen, 20, 30, UPPER)
    assert not th.correction.any()
    teach(th, fen, 20, 60, LOWER, 3)
    assert error(th, fen) > 0
    other = new_thread()
    teach(other, fen, 20, -60, UPPER, 3)
    assert error(other, fen) < 0


def test_nothing_is_learned_of_evaluations_that_are_not_corrected() -> None:
    th = new_thread()
    th.selective = 0
    teach(th, BOARD.fen(), 20, 60, EXACT)
    assert not th.correction.any()


def test_corrections_are_small() -> None:
    th, fen = new_thread(), BOARD.fen()
    come_by(th, PLY, 100)
    come_by(th, PLY - 1, 200)
    teach(th, fen, 0, 2000, EXACT, 100)
    most = correction.MAX_CORRECTION
    assert most * 0.7 < error(th, fen) <= most < 120
    teach(th, fen, 0, -2000, EXACT, 200)
    assert -most <= error(th, fen) < -most * 0.7


def test_likeness() -> None:
    """The correction is smaller for a position that shares only some of its pieces. It is 0 for one
    that shares none, and for the other side to move."""
    th, fen = new_thread(), BOARD.fen()
    teach(th, fen, 0, 2000, EXACT, 100)
    pawns = "4k2r/ppp2ppp/8/3p4/3P4/8/PPP2PPP/R3K3 w - - 0 1"
    white = "r3k2r/ppp2ppp/2n1bn2/8/8/2N1BN2/PPP2PPP/R3K2R w - - 0 1"
    assert 0 < error(th, pawns) < error(th, white) < error(th, fen)
    assert error(th, "4k2r/8/8/8/8/8/8/4KQ2 w - - 0 1") == 0
    assert error(th, fen.replace(" w ", " b ")) == 0


@pytest.mark.parametrize("back", [0, 1])
def test_errors_after_a_move_are_learned(back: int) -> None:
    """Corrections are also learned for the last two moves, by piece and target square."""
    th, other = new_thread(), "4k2r/8/8/8/8/8/8/4KQ2 w - - 0 1"
    come_by(th, PLY - back, 100)
    teach(th, BOARD.fen(), 0, 2000, EXACT, 100)
    assert error(th, other) > 0
    come_by(th, PLY - back, 101)
    assert error(th, other) == 0


def test_nothing_is_learned_of_a_null_move() -> None:
    th = new_thread()
    teach(th, BOARD.fen(), 0, 2000, EXACT)
    assert not th.move_correction.any()


def test_a_plain_search_takes_the_evaluation_at_its_word() -> None:
    th = new_thread()
    teach(th, BOARD.fen(), 0, 2000, EXACT, 100)
    th.selective = 0
    assert error(th, BOARD.fen()) == 0


@pytest.mark.parametrize("nodes", [100, 777, 5000] if COMPILED else [100, 777])
def test_a_stopped_search_leaves_nothing_excluded(nodes: int) -> None:
    searcher = Searcher(hash_mb=1)
    fill(searcher.pos, BOARD)
    for _ in searcher.begin(Limits(nodes=nodes), None):
        pass
    assert not searcher._thread.excluded.any()
