"""Scores on Stockfish's scale."""

from itertools import pairwise

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.judge import rescaled
from uci.apps.games.stockfish_scale import KNOTS, on_stockfish_scale
from uci.protocol.scored_line import ScoredLine


def test_the_knots_are_met() -> None:
    for own, theirs in KNOTS:
        assert on_stockfish_scale(own) == theirs
        assert on_stockfish_scale(-own) == -theirs


def test_more_is_more() -> None:
    converted = [on_stockfish_scale(score) for score in range(-20_000, 20_001)]
    assert all(high >= low for low, high in pairwise(converted))
    assert converted[-1] > converted[-2000]
    assert converted[20_000] == 0


def test_only_centipawns_change() -> None:
    line = ScoredLine(9, 137, None, "", ("e2e4",), 2, nodes=7)
    mate = ScoredLine(9, None, -3, "", ("e2e4",), 1)
    (analysis,) = rescaled([PositionAnalysis((mate, line))])
    assert analysis.lines[0] == mate
    assert analysis.lines[1].cp == on_stockfish_scale(137)
    assert (analysis.lines[1].depth, analysis.lines[1].pv, analysis.lines[1].nodes) == (
        9,
        ("e2e4",),
        7,
    )
