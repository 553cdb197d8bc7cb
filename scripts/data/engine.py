"""Our own engine in this process: moves and scores at a fixed depth or number of nodes."""

import math

import chess

from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.searcher import Searcher
from uci.chess_io.convert import fill, move_to_uci

HASH_MB = 8


class Engine:
    """A searcher with a small table, which it keeps from search to search until `clear`."""

    def __init__(self) -> None:
        self._searcher = Searcher(HASH_MB)
        # Never report within a depth, so that no result is a bound, even on a slow machine.
        self._searcher.report_after = self._searcher.progress_after = math.inf

    def clear(self) -> None:
        """Clear hash and histories, so that the next search depends only on its position."""
        self._searcher.clear()

    def search(
        self, board: chess.Board, depth: int | None = None, nodes: int | None = None
    ) -> tuple[str, int]:
        """Return the best move in UCI notation, and its score in centipawns for the side to move.

        The search ends after ``depth`` plies or ``nodes`` nodes. ``board`` is in Chess960 mode and
        has a legal move.
        """
        fill(self._searcher.pos, board)
        for result in self._searcher.begin(Limits(depth=depth, nodes=nodes), None):
            assert isinstance(result, Iteration)
            last = result
        return move_to_uci(last.pv[0], chess960=True), last.score

    def evaluate(self, board: chess.Board) -> int:
        """Return the static eval in centipawns for the side to move."""
        fill(self._searcher.pos, board)
        return self._searcher.evaluate(self._searcher.pos)
