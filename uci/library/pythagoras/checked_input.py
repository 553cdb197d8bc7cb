"""What a caller passes, checked before the engine receives it: boards, root moves, networks."""

import os
from collections.abc import Iterable
from pathlib import Path

import chess
from chess.engine import EngineError

from uci.chess_io.convert import board_of, new_game, parse_move
from uci.errors import UciError, reason
from uci.protocol.commands import SetPosition


def checked_root_moves(
    board: chess.Board, root_moves: Iterable[chess.Move] | None
) -> list[chess.Move] | None:
    """Return the root moves, after checking them and the board with its history.

    Raises `EngineError` if the engine would reject them: it would search the previous position.
    """
    _refuse_variants(board)
    past = board.move_stack if all(board.move_stack) else []
    start = SetPosition((board.root() if past else board).fen(), tuple(move.uci() for move in past))
    moves = None if root_moves is None else list(root_moves)
    try:
        game = new_game().after(start)
        for move in moves or ():
            parse_move(game.board, move.uci())
    except UciError as error:
        raise EngineError(str(error)) from None
    if moves == [] and any(board.legal_moves):
        raise EngineError("root_moves is empty")
    return moves


def checked_board(board: chess.Board) -> chess.Board:
    """Return the board as the engine reads it. Raises `EngineError` if it is illegal."""
    _refuse_variants(board)
    try:
        return board_of(board.fen())
    except UciError as error:
        raise EngineError(str(error)) from None


def _refuse_variants(board: chess.Board) -> None:
    """Raise `EngineError` for a board of a variant other than Chess960."""
    if board.uci_variant != "chess":
        variant = type(board).aliases[0]
        raise EngineError(f"cannot play {variant}: only standard chess and Chess960 are supported")


def check_network(path: str | os.PathLike[str]) -> None:
    """Raise `EngineError` unless the file is a network for this engine."""
    from engine.evaluation.network import read_network

    try:
        read_network(Path(path))
    except (OSError, ValueError) as error:
        raise EngineError(f"could not load network {os.fspath(path)}: {reason(error)}") from None
