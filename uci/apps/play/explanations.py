"""The engine's findings in words: hints, reasons, scores, chances, variations."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from uci.apps.console.rounding import in_pawns
from uci.apps.games.stockfish_scale import on_stockfish_scale
from uci.apps.play.opponent import Reply
from uci.apps.play.play_settings import Level
from uci.protocol.scored_line import ScoredLine

SHOWN_PLIES = 8
TOO_SHORT = "There was no time to search."


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """A move of the engine: the position before it, its SAN, its search and its level."""

    board: chess.Board
    san: str
    reply: Reply
    level: Level

    def reason(self) -> str:
        """Explain the move."""
        line = self.reply.line
        if self.reply.messages:
            return f"{self.san}: {self.reply.messages[-1]}."
        if line is None:
            return f"{self.san}: {TOO_SHORT}"
        looked = " The score is from the tablebases." if line.tbhits else ""
        level = self.level
        limited = f" At {level} I do not always take the best move." if level.is_limited else ""
        seen = line_text(self.board, line)
        return f"{self.san}: I saw {seen}, at depth {line.depth}.{looked}{limited}"


def hint_text(board: chess.Board, reply: Reply) -> str:
    """Return the best move, with its PV."""
    line = reply.line
    if line is None:
        return TOO_SHORT
    san = board.san(board.parse_uci(reply.move))
    return f"{san} is good: {line_text(board, line)}."


def threat_text(board: chess.Board, reply: Reply) -> str:
    """Return the best line after a pass; ``board`` is the position after it."""
    line = reply.line
    if line is None:
        return TOO_SHORT
    passed, other = chess.COLOR_NAMES[not board.turn], chess.COLOR_NAMES[board.turn]
    return f"If {passed} passed, {other} would play {line_text(board, line)}."


def evaluation_text(board: chess.Board, reply: Reply) -> str:
    """Return which side is better, the score, and the winning chances."""
    line = reply.line
    if line is None:
        return TOO_SHORT
    verdict, score = advantage_text(line, board.turn), white_score(line, board.turn)
    if line.mate is not None:
        return f"{verdict}."
    return f"{verdict}: {score}; {chances_text(line, board.turn)}."


def progress_text(what: str, board: chess.Board, line: ScoredLine | None, plans: bool) -> str:
    """Return the progress of a search, with its PV if ``plans``."""
    if line is None:
        return f"{what} …"
    seen = f": {line_text(board, line)}" if plans else ""
    return f"{what} … depth {line.depth}{seen}"


def centipawns(line: ScoredLine) -> int:
    """Return a line's score for the side to move, in Stockfish's centipawns; a mate is 100,000."""
    if line.mate is not None:
        return 100_000 if line.mate > 0 else -100_000
    return on_stockfish_scale(line.cp or 0)


def white_score(line: ScoredLine, turn: chess.Color) -> str:
    """Return a score from White's view in pawns, such as ``+0.31``, or ``white mates in 3``.

    ``turn`` is the side that searched.
    """
    if line.mate is not None:
        if line.mate == 0:
            return "mate"
        return f"{chess.COLOR_NAMES[turn == (line.mate > 0)]} mates in {abs(line.mate)}"
    return in_pawns(centipawns(line) * (1 if turn else -1))


def line_text(board: chess.Board, line: ScoredLine) -> str:
    """Return the first moves of a line, and its score in parentheses."""
    return f"{moves_text(board, line.pv)} ({white_score(line, board.turn)})"


def moves_text(board: chess.Board, moves: Sequence[str]) -> str:
    """Return the first moves of a PV in SAN, with their numbers."""
    made = board.copy()
    legal = []
    for text in moves[:SHOWN_PLIES]:
        try:
            legal.append(made.push_uci(text))
        except ValueError:
            break
    return board.variation_san(legal)


def chances_text(line: ScoredLine, turn: chess.Color) -> str:
    """Return the chances of White, a draw and Black, if the line has WDL."""
    if not line.wdl or len(line.wdl) != 3:
        return ""
    win, _, loss = line.wdl if turn else line.wdl[::-1]
    wins, losses = round(win / 10), round(loss / 10)
    return f"white wins {wins} %, draw {100 - wins - losses} %, black wins {losses} %"


def advantage_text(line: ScoredLine, turn: chess.Color) -> str:
    """Return which side is better, in words."""
    size = abs(centipawns(line))
    side = chess.COLOR_NAMES[turn == (centipawns(line) > 0)].capitalize()
    if line.mate is not None:
        return f"{white_score(line, turn).capitalize()}"
    for least, words in ((500, "is winning"), (200, "stands much better"), (70, "stands better")):
        if size >= least:
            return f"{side} {words}"
    return "The game is even" if size < 30 else f"{side} stands a little better"
