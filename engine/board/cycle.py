"""Upcoming repetition: whether one move leads back to an earlier position.

The difference of two keys identifies the move between them, in a cuckoo hash of all reversible
moves (Marcel van Kervinck, 2013; in Stockfish since 2018).
"""

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Flag, Ply, Position
from engine.board.attacks import between
from engine.board.bitboard import NOTHING, U64
from engine.board.position import occupancy
from engine.board.zobrist import PIECE_KEYS, SIDE_KEY
from engine.jit.kernel import kernel

_SLOTS = 1 << 13
_MASK = U64(_SLOTS - 1)
_SIXTEEN = U64(16)


def _reaches(piece_type: int, a: int, b: int) -> bool:
    """Return whether a piece goes from ``a`` to ``b`` on an empty board."""
    files, ranks = abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3))
    straight, diagonal = files == 0 or ranks == 0, files == ranks
    return (
        files * ranks == 2,
        diagonal,
        straight,
        straight or diagonal,
        max(files, ranks) == 1,
    )[piece_type - 1]


def _cuckoo() -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """Return keys and squares (origin × 64 + target) of all reversible moves, by slot."""
    keys, squares = [0] * _SLOTS, [0] * _SLOTS
    for piece in range(12):
        if piece % 6 == 0:
            continue
        for a in range(64):
            for b in range(a + 1, 64):
                if not _reaches(piece % 6, a, b):
                    continue
                key, move = int(PIECE_KEYS[piece, a] ^ PIECE_KEYS[piece, b] ^ SIDE_KEY), a * 64 + b
                slot = key & _SLOTS - 1
                while True:
                    keys[slot], key = key, keys[slot]
                    squares[slot], move = move, squares[slot]
                    if key == 0:
                        break
                    first, second = key & _SLOTS - 1, key >> 16 & _SLOTS - 1
                    slot = second if slot == first else first
    return np.array(keys, dtype=np.uint64), np.array(squares, dtype=np.int16)


_KEYS, _SQUARES = _cuckoo()


@kernel
def has_upcoming_repetition(pos: Position, ply: Ply) -> Flag:
    """Return whether a single move connects this position with an earlier one below the root.

    Either the side to move can repeat that position, or its opponent could have come here from
    it directly, so the moves in between were a detour.
    """
    for back in range(3, min(min(pos.reversible_plies, pos.game_ply), ply - 1) + 1, 2):
        key = pos.key ^ pos.history[pos.game_ply - back].key
        slot = np.int64(key & _MASK)
        if _KEYS[slot] != key:
            slot = np.int64(key >> _SIXTEEN & _MASK)
            if _KEYS[slot] != key:
                continue
        squares = np.int64(_SQUARES[slot])
        if between(squares >> 6, squares & 63) & occupancy(pos) == NOTHING:
            return True
    return False
