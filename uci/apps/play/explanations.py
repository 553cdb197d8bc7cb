"""What the engine tells of its searches: hints, reasons, who stands better."""

from dataclasses import dataclass

import chess

from uci.apps.play.formatting import chances_text, moves_text, score_text, verdict_text
from uci.apps.play.opponent import Reply
from uci.apps.play.play_level import Level
from uci.protocol.scored_line import ScoredLine

TOO_SHORT = "There was no time to look."


@dataclass(frozen=True, slots=True)
class Thought:
    """A move of the engine: the position before it, the move in SAN, what it saw at which level."""

    board: chess.Board
    san: str
    reply: Reply
    level: Level

    def reason(self) -> str:
        """Return why it was made."""
        line = self.reply.line
        if self.reply.messages:
            return f"{self.san}: {self.reply.messages[-1]}."
        if line is None:
            return f"{self.san}: {TOO_SHORT}"
        board = self.board
        seen = f"{moves_text(board, line.pv)} ({score_text(line, board.turn)})"
        looked = " The tablebases know it." if line.tbhits else ""
        level = self.level
        limited = f" At {level} I do not always take the best move." if level.is_limited else ""
        return f"{self.san}: I saw {seen}, {line.depth} plies deep.{looked}{limited}"


def hint_text(board: chess.Board, reply: Reply) -> str:
    """Return the best move that was found, with its line."""
    line = reply.line
    if line is None:
        return TOO_SHORT
    san = board.san(board.parse_uci(reply.move))
    return f"{san} is good: {moves_text(board, line.pv)} ({score_text(line, board.turn)})."


def evaluation_text(board: chess.Board, reply: Reply) -> str:
    """Return who stands better, the score, and the chances."""
    line = reply.line
    if line is None:
        return TOO_SHORT
    verdict, score = verdict_text(line, board.turn), score_text(line, board.turn)
    if line.mate is not None:
        return f"{verdict}."
    return f"{verdict}: {score}; {chances_text(line, board.turn)}."


def progress_text(what: str, board: chess.Board, line: ScoredLine | None, plans: bool) -> str:
    """Return how far a search is, with the line so far if ``plans`` are to be shown."""
    if line is None:
        return f"{what} …"
    seen = f": {moves_text(board, line.pv)} ({score_text(line, board.turn)})" if plans else ""
    return f"{what} … {line.depth} plies deep{seen}"
