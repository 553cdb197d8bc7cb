"""The engine as it analyses positions, down to searches of a few nodes."""

from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from uci.apps.analyse.analyst import Chunk, analyse_backwards, requests
from uci.apps.engines.client import OURS, EngineClient

BACK_RANK = "3r2k1/p4ppp/8/8/8/8/5PPP/R2B2K1 w - - 0 1"
"""Rxa7, the first move searched, loses to Rxd1#."""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_a_line_for_each_position(warm: Path) -> None:
    """Each line is exact, or a lower bound if the search was stopped before an exact one."""
    engine = EngineClient(OURS, {"Hash": "1"})
    for nodes, bound in (3, "lower"), (6, ""), (5_000, ""):
        (analysis,) = analyse_backwards(engine, Chunk(BACK_RANK, (), 0, 0, f"nodes {nodes}"))
        assert [line.bound for line in analysis.lines] == [bound]
        assert analysis.lines[0].pv
    engine.close()


def test_a_chunk_is_searched_backwards_after_its_neighbour() -> None:
    moves = "e2e4", "e7e5", "g1f3"
    asked = list(requests(Chunk("FEN", moves, 0, 1, "nodes 7")))
    assert asked == [
        ["ucinewgame", "position fen FEN moves e2e4 e7e5", "go nodes 7"],
        ["position fen FEN moves e2e4", "go nodes 7"],
        ["position fen FEN moves ", "go nodes 7"],
    ]
    asked = list(requests(Chunk("FEN", moves, 2, 3, "nodes 7")))
    assert [lines[-2].split()[-1] for lines in asked] == ["g1f3", "e7e5"]
