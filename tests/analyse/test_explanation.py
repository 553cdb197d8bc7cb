"""Explanations of a whole game: the value of its final position."""

import io

import chess.pgn
import pytest
from chess.engine import Cp

from uci.apps.analyse.analysed_game import analysed_game
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.explanation import explain
from uci.apps.analyse.lichess import THRESHOLDS, Verdict
from uci.protocol.scored_line import ScoredLine

REPETITION = """[FEN "8/8/8/3k4/8/8/8/1Q2K3 w - - 0 1"]

1. Qb3+ Kd6 2. Qb6+ Kd5 3. Qb3+ Kd6 4. Qb6+ Kd5 5. Qb3+ Kd6"""
CASTLING = """[FEN "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"]

1. O-O-O"""


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    return game


def analysis(cp: int, *pv: str) -> PositionAnalysis:
    return PositionAnalysis((ScoredLine(depth=9, cp=cp, mate=None, bound="", pv=pv),))


@pytest.mark.parametrize(("result", "last"), [("1/2-1/2", 0), ("*", 800)])
def test_a_third_repetition_ends_a_drawn_game(result: str, last: int) -> None:
    """A third repetition counts as a draw, though a search would see White a queen ahead."""
    game = read(f"{REPETITION} {result}")
    seen = [analysis(800 if ply % 2 == 0 else -800) for ply in range(11)]
    known = explain(game, seen, (chess.WHITE, chess.BLACK), THRESHOLDS)
    assert known.moves[-1].after.white() == Cp(last)
    assert known.moves[-1].verdict == Verdict.NONE
    assert not known.moves[-1].is_best
    found = analysed_game(1, 0, known, "")
    assert found.positions[-1].best.cp == last


def test_castling_is_written_in_one_way() -> None:
    known = explain(read(CASTLING), [analysis(500, "e1a1", "e8e7"), analysis(-500)], (), THRESHOLDS)
    found = analysed_game(1, 0, known, "")
    assert found.moves[0].uci == "e1c1"
    assert found.positions[0].best.uci == ("e1c1", "e8e7")
