"""The engine as it looks at positions, down to searches of a few nodes."""

import pytest

from engine.jit.kernel import COMPILED
from uci.apps.analyse.analyst import Analyst, Chunk

pytestmark = pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")

BACK_RANK = "3r2k1/p4ppp/8/8/8/8/5PPP/R2B2K1 w - - 0 1"
"""Rxa7, the first move searched, loses to Rxd1#."""


@pytest.mark.parametrize(("nodes", "bound"), [(3, "lower"), (6, ""), (5_000, "")])
def test_a_line_for_each_position(nodes: int, bound: str) -> None:
    """An exact one; a lower bound only where the search was stopped before there was any."""
    analyst = Analyst({"Hash": "1"})
    (look,) = analyst.look(Chunk(BACK_RANK, (), 0, 0, f"nodes {nodes}"))
    assert [line.bound for line in look.lines] == [bound]
    assert look.lines[0].pv
    analyst.close()
