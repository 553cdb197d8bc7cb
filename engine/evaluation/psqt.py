"""Material and piece-square tables, tapered, kept incrementally as one packed number.

A *packed* score holds the middlegame value in its upper and the endgame value in its
lower 32 bits, so that one addition moves both. All values are centipawns for white.
"""

from typing import Any

import numpy as np

from engine.board.makemove import king_castles_to, rook_castles_to
from engine.board.move import flag_of, origin_of, promoted_type, target_of
from engine.board.position import POSITION
from engine.board.types import (
    CAPTURE,
    CASTLE,
    EN_PASSANT,
    PAWN,
    PROMOTION,
    ROOK,
)
from engine.evaluation import pesto
from engine.kernel import entry, kernel


def pack(middlegame: int, endgame: int) -> int:
    """Join two values of up to ± 2**30 into a packed score."""
    return (middlegame << 32) + endgame


def _table() -> Any:
    table = np.zeros((13, 64), dtype=np.int64)
    for piece in range(6):
        for square in range(64):
            value = pack(
                pesto.MIDDLEGAME_MATERIAL[piece] + pesto.MIDDLEGAME[piece][square ^ 56],
                pesto.ENDGAME_MATERIAL[piece] + pesto.ENDGAME[piece][square ^ 56],
            )
            table[piece, square] = value
            table[piece + 6, square ^ 56] = -value
    return table


_PSQT = _table()


@kernel
def psq(piece: Any, square: Any) -> Any:
    """Return the packed value of ``piece`` on ``square``."""
    return _PSQT[piece, square]


@kernel
def middlegame(packed: Any) -> Any:
    """Return the upper half of a packed score."""
    return (packed + 0x80000000) >> 32


@kernel
def endgame(packed: Any) -> Any:
    """Return the lower half of a packed score."""
    return ((packed + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@entry(POSITION)
def psq_of(pos: Any) -> Any:
    """Return the packed sum over all pieces, computed afresh."""
    total = np.int64(0)
    for square in range(64):
        total += psq(np.int64(pos.board[square]), square)
    return total


@kernel
def psq_after(pos: Any, total: Any, move: Any) -> Any:
    """Return what `psq_of` will be after a legal ``move``, given that it is ``total`` now."""
    us, origin, target, flag = pos.side, origin_of(move), target_of(move), flag_of(move)
    piece = np.int64(pos.board[origin])
    total -= psq(piece, origin)
    if flag == CASTLE:
        rook = ROOK + 6 * us
        total += psq(rook, rook_castles_to(origin, target)) - psq(rook, target)
        return total + psq(piece, king_castles_to(origin, target))
    if flag == EN_PASSANT:
        total -= psq(PAWN + 6 * (us ^ 1), target ^ 8)
    elif flag & CAPTURE:
        total -= psq(np.int64(pos.board[target]), target)
    return total + psq(promoted_type(move) + 6 * us if flag & PROMOTION else piece, target)
