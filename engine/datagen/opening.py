"""Random openings: one of the 960 starts, then some random moves.

Random numbers come from `engine.board.splitmix`; their state is in the record of the game.
"""

import numpy as np

from engine.board.annotations import Count, Piece, Position
from engine.board.bitboard import NOTHING, U64, bit
from engine.board.makemove import make
from engine.board.movegen import generate
from engine.board.splitmix import GOLDEN, splitmix
from engine.board.types import (
    ALL_MOVES,
    BISHOP,
    EMPTY,
    KING,
    KNIGHT,
    NO_SQUARE,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
)
from engine.datagen.game_record import clear_board, start_from_board
from engine.jit.kernel import kernel
from engine.memory.records import Record

CLASSICAL = 518
"""The number of the standard start position among the 960."""

_32 = U64(32)

_mix = kernel(splitmix)


@kernel
def begin_chance(game: Record) -> None:
    """Seed the random numbers by the game's seed and number."""
    game.chance = _mix(_mix(U64(game.seed) + GOLDEN) ^ U64(game.number))


@kernel
def below(game: Record, bound: Count) -> Count:
    """Return a random number from 0 to ``bound - 1``, for a small bound."""
    game.chance += GOLDEN
    return np.int64((_mix(game.chance) >> _32) * U64(bound) >> _32)


@kernel
def _put_free(pos: Position, nth: Count, piece: Piece) -> None:
    """Put a white ``piece`` on the ``nth`` empty square of the first rank."""
    for square in range(8):
        if pos.board[square] == EMPTY:
            if nth == 0:
                pos.board[square] = piece
                return
            nth -= 1


@kernel
def set_start(pos: Position, number: Count) -> None:
    """Set ``pos`` to start position ``number`` of 960, in Reinhard Scharnagl's numbering."""
    clear_board(pos)
    pos.board[2 * (number & 3) + 1] = BISHOP
    pos.board[2 * (number >> 2 & 3)] = BISHOP
    number >>= 4
    _put_free(pos, number % 6, QUEEN)
    # The ten placements of two knights on five squares, in lexical order.
    second = number // 6
    first = 0
    while second >= 4 - first:
        second -= 4 - first
        first += 1
    _put_free(pos, first, KNIGHT)
    _put_free(pos, first + second, KNIGHT)
    _put_free(pos, 0, ROOK)
    _put_free(pos, 0, KING)
    _put_free(pos, 0, ROOK)
    rooks = NOTHING
    for square in range(8):
        piece = np.int64(pos.board[square])
        pos.board[square + 56] = piece + 6
        pos.board[square + 8] = PAWN
        pos.board[square + 48] = PAWN + 6
        if piece == ROOK:
            rooks |= bit(square) | bit(square + 56)
    pos.side = WHITE
    pos.en_passant = NO_SQUARE
    pos.halfmove = 0
    start_from_board(pos, rooks)


@kernel
def random_opening(pos: Position, game: Record) -> Count:
    """Set ``pos`` to a random opening, without history; return its plies, 0 if the game ended."""
    number: Count = np.int64(CLASSICAL)
    if below(game, 1000) < game.chess960:
        number = below(game, 960)
    set_start(pos, number)
    plies = game.random_plies + below(game, 2)
    for _ in range(plies):
        count = generate(pos, np.int64(0), np.int64(ALL_MOVES))
        if count == 0:
            return np.int64(0)
        make(pos, np.int64(pos.moves[below(game, count)]))
    pos.game_ply = 0
    return plies
