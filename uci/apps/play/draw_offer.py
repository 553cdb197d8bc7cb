"""Whether the engine takes a draw: by what it thinks of its position, and by the phase."""

import chess

from uci.apps.games.phases import FEW_PIECES, VERY_FEW_PIECES

OPENING_MOVES = 10
"""Moves of each side before which it wants to play on, unless it stands badly."""

AGAIN_AFTER = 5
"""Moves between two offers that are thought about."""

_WORST = {"opening": -150, "middlegame": -60, "endgame": 25}
"""The highest score, in Stockfish's centipawns for the engine, with which it agrees.

An even endgame is a draw; an even middlegame is a game.
"""


def phase(board: chess.Board) -> str:
    """Return the key of `_WORST` for a position, by lichess's counts of pieces."""
    pieces = chess.popcount(board.occupied & ~(board.kings | board.pawns))
    if pieces <= VERY_FEW_PIECES:
        return "endgame"
    if board.fullmove_number <= OPENING_MOVES and pieces > FEW_PIECES:
        return "opening"
    return "middlegame"


def accepts(board: chess.Board, score: int) -> bool:
    """Return whether it agrees, with a ``score`` in centipawns from its side; a mate is beyond."""
    return score <= _WORST[phase(board)]
