"""An evaluation to begin with: material, and tables of how good a square is for a piece.

The numbers are guesses, not tuned. See EVALUATE.md.
"""

import numpy as np
from pythagoras.evaluation import lsb, without_lsb

FILE, RANK = np.arange(64) % 8, np.arange(64) // 8
CENTRE = 7 - np.maximum(abs(2 * FILE - 7), abs(2 * RANK - 7))  # 0 at the edge to 6
TABLE = np.array(
    [
        100 + 4 * (RANK - 1) + 2 * CENTRE * (RANK < 5),  # pawns
        300 + 6 * CENTRE,  # knights
        320 + 4 * CENTRE,  # bishops
        500 + 20 * (RANK == 6),  # rooks
        950 + 2 * CENTRE,  # queens
        -10 * RANK,  # kings
    ]
)


def total(by_type, ours, flip):
    """Return the value of one side's pieces, with the board seen from that side."""
    score = 0
    for piece in range(6):
        pieces = by_type[piece] & ours
        while pieces:
            score += TABLE[piece, lsb(pieces) ^ flip]
            pieces = without_lsb(pieces)
    return score


def evaluate(board, by_type, by_colour, side):
    """Return centipawns for the side to move."""
    score = total(by_type, by_colour[0], 0) - total(by_type, by_colour[1], 56)
    return score if side == 0 else -score
