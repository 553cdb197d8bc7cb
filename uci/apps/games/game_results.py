"""The result of a game by the rules, by its tag and after its moves, which may contradict."""

import chess

from uci.apps.games.pgn_words import words

RESULTS = ("1-0", "0-1", "1/2-1/2")
UNKNOWN = "*"


def result_after_moves(movetext: str) -> str:
    """Return the result that stands after the moves, ``*`` for none. Raises `ValueError`."""
    found = [word for word in words(movetext) if word in RESULTS]
    return found[-1] if found else UNKNOWN


def result_on_board(board: chess.Board) -> str:
    """Return the result of a final position, ``*`` for any other."""
    if board.is_checkmate():
        return "0-1" if board.turn else "1-0"
    over = board.is_stalemate() or board.is_insufficient_material()
    return "1/2-1/2" if over else UNKNOWN


def contradictions(end: chess.Board, tag: str, after_moves: str) -> list[str]:
    """Return the contradictions in a game's result: its last position, its tag, its text."""
    decided = result_on_board(end)
    if decided != UNKNOWN:
        written = {"the tag Result is": tag, "the moves are followed by": after_moves}
        return [
            f"{where} {result}, but the game ends {_how(end)}"
            for where, result in written.items()
            if result not in (UNKNOWN, decided)
        ]
    if UNKNOWN in (tag, after_moves) or tag == after_moves:
        return []
    return [f"the tag Result is {tag}, but the moves are followed by {after_moves}"]


def _how(end: chess.Board) -> str:
    if end.is_checkmate():
        return f"in checkmate by {'Black' if end.turn else 'White'}"
    return "in stalemate" if end.is_stalemate() else "where neither side can mate"
