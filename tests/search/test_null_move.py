"""The verification of a null move, which searches its node again."""

from typing import Any

import pytest

from engine.lab.interpreted import Interpreter, wrapping
from engine.search.limits import Limits
from engine.search.pvs import pvs
from engine.search.reductions import hindsight_extension
from engine.search.root_move import search_root_move
from engine.search.searcher import Searcher
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS

NODES = 6_000


class Watch:
    """Counts verifications, and extensions of nodes that were extended before."""

    def __init__(self) -> None:
        self.verified = self.extended = self.twice = 0
        self._path: list[tuple[int, list[bool]]] = []

    def nodes(self, search: Any) -> Any:
        self.search = search

        def node(pos: Any, th: Any, ply: Any, *rest: Any) -> Any:
            verifies = bool(self._path and self._path[-1][0] == ply and th.excluded[ply] == 0)
            self.verified += verifies
            self._path.append((ply, self._path[-1][1] if verifies else []))
            score = search(pos, th, ply, *rest)
            self._path.pop()
            return score

        return node

    def extensions(self, extension: Any) -> Any:
        def extend(th: Any, ply: Any, static_eval: Any) -> Any:
            plies = extension(th, ply, static_eval)
            if plies:
                before = self._path[-1][1]
                self.extended += 1
                self.twice += bool(before)
                before.append(True)
            return plies

        return extend


@pytest.mark.slow
def test_a_node_is_extended_in_hindsight_once() -> None:
    """A node is not extended again by its verification search, which begins at depth 3 here."""
    watch = Watch()
    interpreter = Interpreter({pvs: watch.nodes, hindsight_extension: watch.extensions})
    search = interpreter.copy(search_root_move)
    watch.search.__globals__["NULL_VERIFICATION_DEPTH"] = 3
    searcher = Searcher(1)
    for fen in POSITIONS[20:23]:
        fill(searcher.pos, board_of(fen))
        searcher.begin(Limits(nodes=NODES), None)
        thread = searcher._threads[0]
        with wrapping():
            search(searcher.pos, thread.th, thread.root_moves()[0], 1, 12, -60, -59)
    assert watch.verified
    assert watch.extended
    assert not watch.twice
