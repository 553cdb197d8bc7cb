"""Our own engine in this process, asked for scores and moves at fixed depths."""

import chess

from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.searcher import Searcher
from uci.chess_io.adapter import fill, text_of

HASH_MB = 8


class Engine:
    """A searcher with a small table, which it keeps from search to search until `clear`."""

    def __init__(self) -> None:
        self._searcher = Searcher(HASH_MB)

    def clear(self) -> None:
        """Forget what was learned, so that the next search depends on its position alone."""
        self._searcher.clear()

    def search(self, board: chess.Board, depth: int) -> tuple[str, int]:
        """Return the best move in UCI notation, and its score in centipawns, after ``depth`` plies.

        ``board`` is in Chess960 mode and somebody can move in it.
        """
        fill(self._searcher.pos, board)
        for result in self._searcher.begin(Limits(depth=depth), None):
            assert isinstance(result, Iteration)
            last = result
        return text_of(last.pv[0], chess960=True), last.score

    def evaluate(self, board: chess.Board) -> int:
        """Return the static evaluation in centipawns for the side to move."""
        fill(self._searcher.pos, board)
        return self._searcher.evaluate(self._searcher.pos)
