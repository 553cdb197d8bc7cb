"""What the engine saw, in words for a person: scores, chances, lines of moves."""

from collections.abc import Sequence

import chess

from uci.apps.console.rounding import in_pawns
from uci.apps.games.stockfish_scale import on_stockfish_scale
from uci.protocol.scored_line import ScoredLine

SHOWN_PLIES = 8


def centipawns(line: ScoredLine) -> int:
    """Return a line's score for the side to move, in Stockfish's centipawns; a mate is 100,000."""
    if line.mate is not None:
        return 100_000 if line.mate > 0 else -100_000
    return on_stockfish_scale(line.cp or 0)


def score_text(line: ScoredLine, turn: chess.Color) -> str:
    """Return a score as White's pawns, such as ``+0.31`` or ``0.00``, or ``white mates in 3``.

    ``turn`` searched.
    """
    if line.mate is not None:
        if line.mate == 0:
            return "mate"
        return f"{chess.COLOR_NAMES[turn == (line.mate > 0)]} mates in {abs(line.mate)}"
    return in_pawns(centipawns(line) * (1 if turn else -1))


def moves_text(board: chess.Board, moves: Sequence[str]) -> str:
    """Return the first moves of a line in SAN, with their numbers."""
    made = board.copy()
    legal = []
    for text in moves[:SHOWN_PLIES]:
        try:
            legal.append(made.push_uci(text))
        except ValueError:
            break
    return board.variation_san(legal)


def chances_text(line: ScoredLine, turn: chess.Color) -> str:
    """Return the chances of White, a draw and Black, where the line tells them."""
    if not line.wdl or len(line.wdl) != 3:
        return ""
    win, _, loss = line.wdl if turn else line.wdl[::-1]
    wins, losses = round(win / 10), round(loss / 10)
    return f"white wins {wins} %, draw {100 - wins - losses} %, black wins {losses} %"


def verdict_text(line: ScoredLine, turn: chess.Color) -> str:
    """Return who stands better, in words."""
    size = abs(centipawns(line))
    side = chess.COLOR_NAMES[turn == (centipawns(line) > 0)].capitalize()
    if line.mate is not None:
        return f"{score_text(line, turn).capitalize()}"
    for least, words in ((500, "is winning"), (200, "stands much better"), (70, "stands better")):
        if size >= least:
            return f"{side} {words}"
    return "The game is even" if size < 30 else f"{side} stands a little better"
