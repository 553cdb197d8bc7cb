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
    BISHOP,
    CAPTURE,
    CASTLE,
    EN_PASSANT,
    KNIGHT,
    PAWN,
    PROMOTION,
    QUEEN,
    ROOK,
)
from engine.kernel import entry, kernel

_MIDDLEGAME = (82, 335, 355, 480, 1010, 0)
_ENDGAME = (98, 295, 310, 525, 950, 0)

_PAWN_RANK = ((0, 0, 0, 6, 14, 30, 60, 0), (0, 2, 4, 12, 30, 60, 95, 0))
_KING_FILE = (25, 35, 5, -5, -5, 0, 38, 25)


def pack(middlegame: int, endgame: int) -> int:
    """Join two values of up to ± 2**30 into a packed score."""
    return (middlegame << 32) + endgame


def _placement(piece: int, file: int, rank: int) -> tuple[int, int]:
    """Return what a white piece gains on a square, by the principles of the textbooks."""
    edge = min(file, 7 - file)
    centre = edge + min(rank, 7 - rank)
    if piece == PAWN:
        if rank in (0, 7):
            return 0, 0
        supports = (-8, -2, 2, 12)[edge] * (2 if rank in (3, 4) else 1) if rank > 1 else 0
        stays_home = 6 if rank == 1 and edge < 3 else -10 if rank == 1 and edge == 3 else 0
        return _PAWN_RANK[0][rank] + supports + stays_home, _PAWN_RANK[1][rank] - 2 * edge
    if piece == KNIGHT:
        outpost = 12 if rank in (4, 5) and 2 <= file <= 5 else 0
        return 13 * centre - 50 + outpost, 10 * centre - 40
    if piece == BISHOP:
        return 4 * centre - 12 - (12 if rank == 0 else 0), 3 * centre - 10
    if piece == ROOK:
        return 4 * edge - 8 + (22 if rank == 6 else 0), 12 if rank >= 6 else 0
    if piece == QUEEN:
        return 2 * centre - 6 - (4 if rank > 4 else 0), 6 * centre - 20
    return (_KING_FILE[file] - (30 * rank if rank else 0)), 13 * centre - 45


def _table() -> Any:
    table = np.zeros((13, 64), dtype=np.int64)
    for piece in range(6):
        for square in range(64):
            middlegame, endgame = _placement(piece, square % 8, square // 8)
            value = pack(_MIDDLEGAME[piece] + middlegame, _ENDGAME[piece] + endgame)
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
