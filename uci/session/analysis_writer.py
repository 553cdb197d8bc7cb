"""Writes the analysis of one search, and its ``bestmove``."""

from dataclasses import replace
from functools import cache

from uci.chess_io.convert import Game
from uci.protocol.messages import (
    Info,
    format_bestmove,
    format_info,
    format_message,
    format_progress,
)
from uci.protocol.writer import Writer
from uci.strength.wdl import DRAW, wdl


class AnalysisWriter:
    """The ``info`` lines and the ``bestmove`` of one search.

    ``lines`` are the last exact ones, best first. The first move of the best line is played, unless
    another move has failed high since: then its lower bound is played, until an exact line or an
    upper bound follows. Clients take the last ``info`` line for the one played, so it is repeated
    before ``bestmove`` if anything was written after it. If ``minimal``, lines are written only
    there: the exact ones, then the lower bound if it is played. Only the search's thread uses it.
    """

    def __init__(
        self,
        writer: Writer,
        game: Game,
        multipv: int,
        show_wdl: bool,
        minimal: bool = False,
        draw_score: int = 0,
    ) -> None:
        """Write at most ``multipv`` lines of a depth, with WDL if ``show_wdl``.

        ``draw_score`` is the score of a drawn game in centipawns.
        """
        self.lines: list[Info] = []
        self._writer = writer
        self._is_drawn_by = cache(game.is_drawn_by)
        self._multipv = multipv
        self._show_wdl = show_wdl
        self._minimal = minimal
        self._draw_score = draw_score
        self._lower: Info | None = None
        self._repeat = False

    @property
    def best(self) -> Info | None:
        """The line whose move is played."""
        return self._lower or next(iter(self.lines), None)

    def info(self, info: Info) -> None:
        """Write a line of analysis, and keep it if it is exact or a lower bound."""
        if self._show_wdl:
            info = replace(info, wdl=DRAW if self._is_drawn(info) else wdl(info.score))
        # Weak play searches more lines than are shown.
        if info.multipv <= self._multipv and not self._minimal:
            self._writer.lines(format_info(info))
        if info.bound != "exact":
            self._lower = info if info.bound == "lower" else None
            self._repeat = self._lower is None
        elif info.multipv == 1:
            self.lines, self._lower, self._repeat = [info], None, False
        else:
            self.lines.append(info)

    def _is_drawn(self, info: Info) -> bool:
        """Return whether the score is that of a draw by rule: by stalemate or after the first move.

        In a dead position every move leads to a draw.
        """
        if info.score != self._draw_score:
            return False
        return self._is_drawn_by(info.pv[0]) if info.pv else info.depth == 0

    def progress(self, depth: int, move: str, number: int) -> None:
        """Write the root move that is being searched, ``number`` from 1."""
        if not self._minimal:
            self._writer.lines(format_progress(depth, move, number))
            self._repeat = True

    def message(self, text: str) -> None:
        """Write an ``info string``."""
        self._writer.lines(format_message(text))
        self._repeat = True

    def set_totals(self, nodes: int, time: int) -> None:
        """Set nodes and milliseconds of the line that is played to those of the whole search."""
        if self.best is None or nodes <= self.best.nodes:
            return
        if self._lower is not None:
            self._lower = replace(self._lower, nodes=nodes, time=time)
        else:
            self.lines = [replace(line, nodes=nodes, time=time) for line in self.lines]
        self._repeat = True

    def play(self, line: Info) -> None:
        """Play one of the ``lines``, not necessarily the best."""
        assert self.best is not None
        self._repeat = self._repeat or line.multipv > 1 or self._lower is not None
        played = replace(line, multipv=1, nodes=self.best.nodes, time=self.best.time)
        self.lines, self._lower = [played], None

    def finish(self) -> None:
        """Write the ``bestmove``. There must be at least one line."""
        assert self.best is not None
        lower = [] if self._lower is None else [self._lower]
        last = [*self.lines, *lower] if self._minimal else lower or self.lines
        repeated = map(format_info, last) if self._repeat or self._minimal else ()
        self._writer.lines(*repeated, format_bestmove(self.best.pv))
