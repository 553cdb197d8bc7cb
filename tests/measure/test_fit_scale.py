"""The fitted scale is the one with which the verdicts agree."""

from dataclasses import replace

import pytest

from scripts.measure import fit_scale
from scripts.measure.fit_scale import FAR, agreement, fit, line_with_a_bend
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.judge import rescaled
from uci.apps.analyse.parallel import GameJob
from uci.apps.games.stockfish_scale import KNOTS
from uci.protocol.scored_line import ScoredLine

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MOVES = ("g1f3", "g8f6", "f3g1", "f6g8") * 4


def analysis(score: int) -> PositionAnalysis:
    """Return an analysis whose best move is never the played one."""
    return PositionAnalysis((ScoredLine(9, score, None, "", ("a2a3",), 1),))


def test_a_line_with_a_bend() -> None:
    assert line_with_a_bend(2.0, 600, 0.5) == ((0, 0), (300, 600), (300 + FAR, 600 + FAR // 2))


def test_the_line_that_was_used_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = [7 * (index % 11) ** 2 * (-1) ** (index // 3) for index in range(len(MOVES) + 1)]
    own = [analysis(score) for score in scores]
    own = [
        replace(each, lines=(replace(each.lines[0], pv=("a7a6",)),)) if index % 2 else each
        for index, each in enumerate(own)
    ]
    true = line_with_a_bend(2.5, 600, 0.5)
    games = [(GameJob(1, START, MOVES), rescaled(own, true), own)]
    assert agreement(games, true) == 1
    assert agreement(games, ((0, 0), (1000, 1000))) < 0.9
    monkeypatch.setattr(fit_scale, "SLOPES", (1.0, 2.5, 4.0))
    best, knots = fit(games)
    assert best == 1
    assert knots[1][1] / knots[1][0] == pytest.approx(2.5, abs=0.1)


def test_the_committed_table_is_one_of_them() -> None:
    (_, (bend, height), (far, top)) = KNOTS
    assert line_with_a_bend(round(4 * height / bend) / 4, height, (top - height) / FAR) == KNOTS
    assert far - bend == FAR
