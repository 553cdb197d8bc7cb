"""Finds where middlegame and endgame begin, as lichess does (its ``Divider``)."""

from collections.abc import Iterable
from dataclasses import dataclass

import chess

FEW_PIECES, VERY_FEW_PIECES = 10, 6
"""Limits for the number of queens, rooks, bishops and knights on the board."""

SPARSE = 4
"""With fewer pieces on a back rank, the side counts as developed."""

MIXED = 150

_SQUARES = [
    (rank + 1, chess.BB_SQUARES[8 * rank + file] * 0x303) for rank in range(7) for file in range(7)
]
"""All regions of 2 × 2 squares, with the rank of the lower half, from 1."""


@dataclass(frozen=True, slots=True)
class Phases:
    """The plies, from 0, at which a phase begins; None where it is not reached."""

    middlegame: int | None
    endgame: int | None


def divide(boards: Iterable[chess.Board]) -> Phases:
    """Return where the phases begin; the positions of the game are read one by one."""
    middlegame = None
    for ply, board in enumerate(boards):
        pieces = chess.popcount(board.occupied & ~(board.kings | board.pawns))
        if middlegame is None and (
            pieces <= FEW_PIECES or _is_developed(board) or mixedness(board) > MIXED
        ):
            middlegame = ply
        if middlegame is not None and pieces <= VERY_FEW_PIECES:
            return Phases(middlegame if middlegame < ply else None, ply)
    return Phases(middlegame, None)


def mixedness(board: chess.Board) -> int:
    """Return how much the two sides' pieces are mixed."""
    white, black = (board.occupied_co[color] for color in (chess.WHITE, chess.BLACK))
    return sum(
        _tension(rank, chess.popcount(white & square), chess.popcount(black & square))
        for rank, square in _SQUARES
    )


def _is_developed(board: chess.Board) -> bool:
    ranks = (chess.WHITE, chess.BB_RANK_1), (chess.BLACK, chess.BB_RANK_8)
    return any(chess.popcount(board.occupied_co[color] & rank) < SPARSE for color, rank in ranks)


def _tension(rank: int, white: int, black: int) -> int:
    """Return the weight of the pieces in a region of 2 × 2 squares, by lichess's table."""
    match white, black:
        case 0, 1:
            return rank + 1
        case 0, 2:
            return 8 - rank if rank < 6 else 0
        case 0, (3 | 4):
            return 10 - rank if rank < 7 else 0
        case 1, 0:
            return 9 - rank
        case 1, 1:
            return 5 + abs(4 - rank)
        case 1, (2 | 3):
            return 9 + black - rank
        case 2, 0:
            return rank if rank > 2 else 0
        case 2, 1:
            return rank + 3
        case 2, 2:
            return 7
        case ((3 | 4), 0):
            return rank + 2 if rank > 1 else 0
        case 3, 1:
            return rank + 4
    return 0
