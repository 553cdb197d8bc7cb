"""The hand-written evaluation: material and placement, mobility, king safety, passed pawns.

Tapered (Fruit, Fabien Letouzey, 2004): a middlegame and an endgame score, blended by the
material left. Everything here is packed as in `engine.evaluation.psqt`.
"""

from typing import Any

import numpy as np

from engine.board.attacks import (
    bishop_attacks,
    king_attacks,
    knight_attacks,
    rook_attacks,
)
from engine.board.bitboard import (
    EIGHT,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    NOTHING,
    ONE,
    SEVEN,
    U64,
    bit,
    several,
)
from engine.board.position import POSITION, king_square, occupied, pieces
from engine.board.types import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from engine.evaluation.psqt import endgame, middlegame, pack, psq_of
from engine.intrinsics import lsb, popcount
from engine.kernel import entry, kernel

_TEMPO = 12
_FULL_PHASE = 24
_BISHOP_PAIR = pack(25, 45)
_SHIELD = pack(9, 0)
_MOBILITY = np.array([pack(0, 0), pack(4, 4), pack(5, 4), pack(2, 4), pack(1, 2)])
_USUAL_MOBILITY = np.array([0, 4, 5, 6, 11])
_ASSAULT = np.array([0, 4, 3, 5, 4])
_PASSED = np.array([pack(0, 0), *(pack(5 * r, 12 * r) for r in (0, 1, 3, 6, 10, 14)), pack(0, 0)])
_SIXTEEN, _THIRTY_TWO = U64(16), U64(32)


@kernel
def _pawn_cover(pawns: Any, colour: Any) -> Any:
    """Return the squares that ``pawns`` of ``colour`` attack."""
    if colour == WHITE:
        return (pawns & NOT_FILE_A) << SEVEN | (pawns & NOT_FILE_H) << NINE
    return (pawns & NOT_FILE_A) >> NINE | (pawns & NOT_FILE_H) >> SEVEN


@kernel
def _ahead(squares: Any, colour: Any) -> Any:
    """Return all squares in front of ``squares``, seen by ``colour``."""
    if colour == WHITE:
        squares = squares << EIGHT
        squares |= squares << EIGHT
        squares |= squares << _SIXTEEN
        return squares | squares << _THIRTY_TWO
    squares = squares >> EIGHT
    squares |= squares >> EIGHT
    squares |= squares >> _SIXTEEN
    return squares | squares >> _THIRTY_TWO


@kernel
def _passed_pawns(pos: Any, colour: Any) -> Any:
    """Return the packed bonus of pawns that no enemy pawn can stop or take."""
    own, enemy = pieces(pos, colour, PAWN), pieces(pos, colour ^ 1, PAWN)
    guarded = _ahead(enemy | _pawn_cover(enemy, colour ^ 1), colour ^ 1)
    passed = own & ~(guarded | _pawn_cover(enemy, colour ^ 1)) & ~_ahead(own, colour ^ 1)
    total = np.int64(0)
    while passed != NOTHING:
        rank = lsb(passed) >> 3
        total += _PASSED[rank if colour == WHITE else 7 - rank]
        passed &= passed - ONE
    return total


@kernel
def _activity(pos: Any, colour: Any) -> Any:
    """Return the packed mobility of the pieces of ``colour`` and their assault on the king."""
    own_pawns, enemy_pawns = pieces(pos, colour, PAWN), pieces(pos, colour ^ 1, PAWN)
    useful = ~(own_pawns | _pawn_cover(enemy_pawns, colour ^ 1))
    king = king_square(pos, colour ^ 1)
    ring = king_attacks(king) | bit(king)
    everyone = occupied(pos)
    total = np.int64(0)
    attackers, danger = 0, 0
    for piece_type in range(KNIGHT, QUEEN + 1):
        movers = pieces(pos, colour, piece_type)
        while movers != NOTHING:
            square = lsb(movers)
            if piece_type == KNIGHT:
                attacks = knight_attacks(square)
            elif piece_type == BISHOP:
                attacks = bishop_attacks(square, everyone)
            elif piece_type == ROOK:
                attacks = rook_attacks(square, everyone)
            else:
                attacks = bishop_attacks(square, everyone) | rook_attacks(square, everyone)
            total += _MOBILITY[piece_type] * (
                popcount(attacks & useful) - _USUAL_MOBILITY[piece_type]
            )
            if attacks & ring != NOTHING:
                attackers += 1
                danger += _ASSAULT[piece_type] * popcount(attacks & ring)
            movers &= movers - ONE
    if attackers > 1:
        total += np.int64(min(danger * danger >> 3, 350)) << 32
    return total


@kernel
def _structure(pos: Any, colour: Any) -> Any:
    """Return the packed worth of the bishop pair, the king's shield and passed pawns."""
    total = _passed_pawns(pos, colour)
    if several(pieces(pos, colour, BISHOP)):
        total += _BISHOP_PAIR
    king = king_square(pos, colour)
    shield = _ahead(king_attacks(king) | bit(king), colour) & pieces(pos, colour, PAWN)
    near = shield & (king_attacks(king) | _pawn_cover(king_attacks(king), colour))
    return total + _SHIELD * popcount(near)


@kernel
def evaluate(pos: Any, placement: Any) -> Any:
    """Return the static score in centipawns for the side to move.

    ``placement`` is the packed `psq_of` the position, which the search keeps up to date.
    """
    us, them = pos.side, pos.side ^ 1
    total = placement if us == WHITE else -placement
    total += _activity(pos, us) - _activity(pos, them)
    total += _structure(pos, us) - _structure(pos, them)
    phase = popcount(pos.by_type[KNIGHT] | pos.by_type[BISHOP])
    phase += 2 * popcount(pos.by_type[ROOK]) + 4 * popcount(pos.by_type[QUEEN])
    phase = min(phase, _FULL_PHASE)
    score = (middlegame(total) * phase + endgame(total) * (_FULL_PHASE - phase)) // _FULL_PHASE
    return _TEMPO + score


@entry(POSITION)
def evaluate_root(pos: Any) -> Any:
    """Return the static score of a position that is not being searched, in centipawns."""
    return evaluate(pos, psq_of(pos))
