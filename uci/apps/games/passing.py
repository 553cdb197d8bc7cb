"""The position after a pass, in which the other side's best line is its threat."""

import chess

from uci.errors import UciError


def after_pass(board: chess.Board) -> chess.Board:
    """Return ``board``, without its history, after a null move, which also ends en passant rights.

    Raises `UciError` in check, and if the other side then has no legal move.
    """
    board = board.copy(stack=False)
    side, other = (chess.COLOR_NAMES[color] for color in (board.turn, not board.turn))
    if board.is_check():
        raise UciError(f"{side} is in check and cannot pass")
    board.push(chess.Move.null())
    board.clear_stack()
    if not any(board.legal_moves):
        raise UciError(f"if {side} passed, {other} would have no legal move")
    return board
