"""Names for evaluations of your own: see EVALUATE.md.

Squares are 0 (a1) to 63 (h8). A bitboard is an ``np.uint64`` whose bit ``square`` is set; mix it
with no other type than ``np.uint64``. A piece code is ``6 * colour + type``, or `EMPTY`.
"""

from engine.board.attacks import (
    bishop_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    queen_attacks,
    rook_attacks,
)
from engine.board.types import (
    BISHOP,
    BLACK,
    EMPTY,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
)
from engine.custom.eval_helpers import lsb, popcount, without_lsb

__all__ = (
    "BISHOP",
    "BLACK",
    "EMPTY",
    "KING",
    "KNIGHT",
    "PAWN",
    "QUEEN",
    "ROOK",
    "WHITE",
    "bishop_attacks",
    "king_attacks",
    "knight_attacks",
    "lsb",
    "pawn_attacks",
    "popcount",
    "queen_attacks",
    "rook_attacks",
    "without_lsb",
)
