"""A few searches that are stopped within a depth; the long form has 24,000."""

import random

import chess
import pytest

from engine.jit.kernel import COMPILED
from engine.search.results import Iteration
from engine.search.score import MATE
from scripts.reliability import interrupted
from scripts.reliability.interrupted import LARGE, MOST, Judge, Report, stops
from uci.chess_io.convert import encode_move

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]


@pytest.mark.slow
def test_what_is_printed_and_played_is_sound() -> None:
    report = interrupted.run(8, 3, None)
    assert report.done["searches"] == 8 * 3 * len(stops(random.Random(1)))
    assert report.done["moves other than the completed depth's"] > 0
    assert not report.refuted
    assert report.loss <= 100 * report.done["moves other than the completed depth's"]


def iteration(board: chess.Board, move: str, score: int, depth: int) -> Iteration:
    code = encode_move(board, chess.Move.from_uci(move))
    return Iteration(depth, depth, score, "exact", 1, 1, 1, (code,))


@pytest.mark.parametrize(
    ("fen", "move", "score", "kind"),
    [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", MATE - 1, "proved"),
        ("6k1/5pp1/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", MATE - 3, "refuted"),
        ("k7/8/2K5/8/8/8/8/7R b - - 0 1", "a8a7", -MATE + 4, "proved"),
        ("k7/8/2K5/8/8/8/8/7R b - - 0 1", "a8a7", -MATE + 2, "refuted"),
    ],
)
def test_mates_are_judged(fen: str, move: str, score: int, kind: str) -> None:
    report, board = Report(), chess.Board(fen)
    Judge(report, None).judge(board, [iteration(board, move, score, 4)], None)
    assert report.done == {f"mates {kind}": 1}
    assert bool(report.refuted) == (kind == "refuted") == bool(report.failures())


def test_losses_are_judged() -> None:
    """Giving away a queen, instead of capturing one, counts as a large loss."""
    board = chess.Board("3qk3/8/8/8/8/8/3Q4/3RK3 w - - 0 1")
    good, bad = iteration(board, "d2d8", 700, 5), iteration(board, "d2d7", 0, 6)
    report = Report()
    judge = Judge(report, None)
    assert judge.judge(board, [good, bad], good).startswith("d2d7 ")
    assert LARGE < report.loss <= 2 * MOST
    report.done["searches"] = 999
    assert len(report.failures()) == 1, "they lose on average"
    assert not judge.judge(board, [bad, good], bad)
    assert report.loss == 0
    report.large = ["one"]
    assert report.failures() == ["1 large losses in 999 searches"]
