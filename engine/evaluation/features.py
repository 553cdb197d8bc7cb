"""The network's inputs: one for each kind of piece on each square, threatened or not.

A *feature* is ``768 * colour + 384 * threatened + 64 * type + square``, from white's view.
Each colour has a perspective of its own: black's is flipped vertically with the colours exchanged,
and one whose king stands on the files e to h is mirrored, so that the network learns symmetric
positions once. `engine.evaluation.threatened` says what threatened means.
"""

import numpy as np

from engine.board.annotations import Bitboard, Colour, Count, Move, Piece, Position, Square
from engine.board.bitboard import ONE, U64
from engine.board.makemove import king_castles_to, rook_castles_to
from engine.board.move import flag_of, origin_of, promoted_type, target_of
from engine.board.types import BLACK, CAPTURE, CASTLE, EN_PASSANT, PROMOTION, ROOK
from engine.jit.kernel import kernel

_KINDS = 6 * 64
_HALF = 2 * _KINDS
FEATURES = 2 * _HALF
NOTHING_MOVED, MOVED, TOOK, CASTLED = 0, 1, 2, 3
"""How many features a move removes and adds: none; one and one; two and one; two and two."""


@kernel
def feature(piece: Piece, square: Square) -> Count:
    """Return the feature of ``piece`` on ``square`` if it is not threatened."""
    if piece >= 6:
        piece += _HALF // 64 - 6
    return 64 * piece + square


@kernel
def if_threatened(found: Count, threatened: Bitboard) -> Count:
    """Return the feature of the same piece, threatened if it is among the ``threatened``."""
    return found + _KINDS * np.int64(threatened >> U64(found & 63) & ONE)


@kernel
def mirror_of(king: Square) -> Count:
    """Return the XOR mask for squares that puts the ``king`` on the files a to d."""
    return np.int64(7) if king & 4 else np.int64(0)


@kernel
def perspective_feature(white_feature: Count, colour: Colour, mirror: Count) -> Count:
    """Return a feature as ``colour`` sees it, its king's `mirror_of` given."""
    found = white_feature ^ mirror
    if colour == BLACK:
        found ^= 56
        found += _HALF if found < _HALF else -_HALF
    return found


@kernel
def changes(pos: Position, move: Move) -> Count:
    """Return the changes of a legal ``move``, packed: kind, then removed, added, removed, added.

    The kind takes two bits, each `feature` twelve.
    """
    us, origin, target, flag = pos.side, origin_of(move), target_of(move), flag_of(move)
    piece = np.int64(pos.board[origin])
    kind = MOVED
    removed: Count = np.int64(0)
    added: Count = np.int64(0)
    if flag == CASTLE:
        kind = CASTLED
        rook = ROOK + 6 * us
        removed = feature(rook, target)
        added = feature(rook, rook_castles_to(origin, target))
        target = king_castles_to(origin, target)
    elif flag & CAPTURE:
        kind = TOOK
        square = target ^ 8 if flag == EN_PASSANT else target
        removed = feature(np.int64(pos.board[square]), square)
    placed = promoted_type(move) + 6 * us if flag & PROMOTION else piece
    moved = feature(piece, origin) << 2 | feature(placed, target) << 14
    return kind | moved | removed << 26 | added << 38
