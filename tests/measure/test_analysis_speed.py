"""The speed of analysis: it checks that our workers and bare engines search the same nodes."""

from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from scripts.match.builds import MatchError
from scripts.measure import analysis_speed
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.parallel import GameJob
from uci.protocol.scored_line import ScoredLine

START = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
MOVES = ("e2e4", "d7d5", "e4d5", "c7c6", "d5c6", "b7c6", "e1e2", "e8e7", "e2e3", "e7e6", "g2g4")
GAMES = [GameJob(1, START, MOVES), GameJob(2, START, MOVES[:3])]


def analysis(nodes: int) -> PositionAnalysis:
    return PositionAnalysis((ScoredLine(1, 5, None, "", ("e2e4",), nodes=nodes),))


def test_neighbours_count_once_in_the_game() -> None:
    one, two, three, four = map(analysis, range(1, 5))
    assert analysis_speed._without_neighbours([[one, two, three], [three, four]]) == [
        *(one, two, three, four)
    ]
    assert analysis_speed._without_neighbours([[one, two]]) == [one, two]


def test_the_ratio_is_of_all_nodes_and_of_each_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratio counts all nodes, and the time of each bare engine separately."""
    monkeypatch.setattr(
        analysis_speed, "run_workers", lambda *_: ([[analysis(100)], [analysis(300)]], 2.0)
    )
    bare = {1: ([[analysis(100)]], 110, 1.0), 2: ([[analysis(300)]], 330, 3.0)}
    monkeypatch.setattr(analysis_speed, "run_bare", lambda games, _: bare[games[0].number])
    assert analysis_speed.compare(GAMES, "nodes 100", 2) == (220, 220)
    bare[2] = [[analysis(301)]], 330, 3.0
    with pytest.raises(MatchError, match="same trees"):
        analysis_speed.compare(GAMES, "nodes 100", 2)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_both_search_the_same_trees(warm: Path) -> None:
    go = "nodes 2000"
    ours, bare = analysis_speed.compare(GAMES, go, 2)
    assert min(ours, bare) > 0
    analyses, nodes, _ = analysis_speed.run_bare(GAMES[:1], go)
    assert len(analyses[0]) == len(MOVES) + 1
    assert nodes > sum(
        analysis.nodes for analysis in analyses[0]
    )  # which include duplicates between chunks
