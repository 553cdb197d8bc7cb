"""A game in 16-bit little-endian words: 32 bytes for the start, 4 bytes a ply, then the lines.

| word | content |
| --- | --- |
| 0 | plies: the number of moves that follow |
| 1 | bits 0 and 1 the result: 0 black won, 1 draw, 2 white won; the others the number of words
      of the lines, which follow the moves |
| 2 to 5 | the occupied squares of the start as a bitboard, lowest word first |
| 6 to 13 | what stands there, 4 bits a piece in the order a1, b1 ... h8, lowest bits first |
| 14 | bits 0 to 5 the square of a legal en-passant capture (0 for none), bit 6 set when
       black is to move, bits 8 to 15 the plies since the last capture or pawn move |
| 15 | the plies that were played before the start, whose moves are not kept |
| 16 + 2i | move i in the engine's 16 bits: see `engine.board.move` |
| 17 + 2i | its score, signed: centipawns or a mate score *for the side to move*, as the
            search found it in the position *before* the move; `NO_SCORE` where the move was
            drawn at random, without a search |
| then | if PVs are kept, for each ply the length of the PV, and its moves: those of the main
         search, `MAX_LINE` at the most, none where there was no search |

The four bits of a piece are its type (0 pawn to 5 king; 6 is a rook that may still castle, by
which Chess960 needs nothing else), and 8 for black. The game has no past before its start: a
position that stood on the board during the random moves does not count for repetition.
"""

import numpy as np

from engine.board.annotations import Bitboard, Count, Move, Position, Score, Words
from engine.board.bitboard import NOTHING, ONE, U64, bit
from engine.board.position import king_square, occupancy, refresh
from engine.board.types import BLACK, EMPTY, NO_MOVE, ROOK
from engine.board.zobrist import castling_key
from engine.jit.intrinsics import lsb
from engine.jit.kernel import kernel

BLACK_WON, DRAWN, WHITE_WON = 0, 1, 2
"""Results: twice white's points."""

PLIES, RESULT, OCCUPIED, PIECES, STATE, PLAYED, MOVES = 0, 1, 2, 6, 14, 15, 16
"""Offsets of the parts of a game, in words."""

MAX_GAME_PLIES = 640
"""Plies after which a game is a draw: the history of a position has room for no more."""

MAX_LINE = 24
"""The most moves that are kept of a PV, which is longer only in very deep searches."""

MAX_LINE_WORDS = MAX_GAME_PLIES * (1 + MAX_LINE)
MAX_GAME_WORDS = MOVES + 2 * MAX_GAME_PLIES + MAX_LINE_WORDS

NO_SCORE = -32768
"""In place of the score of a move that was drawn at random."""

CASTLING_ROOK = 6
"""In place of the type of a rook that may still castle."""

_SIXTEEN, _WORD16 = U64(16), U64(0xFFFF)


@kernel
def moves_end(words: Words, at: Count) -> Count:
    """Return where the moves of the game at ``words[at]`` end and its lines begin."""
    return at + MOVES + 2 * np.int64(words[at + PLIES])


@kernel
def game_end(words: Words, at: Count) -> Count:
    """Return where the game at ``words[at]`` ends, with its lines."""
    return moves_end(words, at) + (np.int64(words[at + RESULT]) >> 2)


def with_lines(words: Words, lines: Words) -> Words:
    """Return a copy of the game ``words`` with other ``lines``."""
    game = np.concatenate([words[: moves_end(words, 0)], lines])
    game[RESULT] = game[RESULT] & 3 | len(lines) << 2
    return game


@kernel
def clear_board(pos: Position) -> None:
    """Remove all pieces from the board."""
    for square in range(64):
        pos.board[square] = EMPTY


@kernel
def start_from_board(pos: Position, castling_rooks: Bitboard) -> None:
    """Compute the state from board, side and en-passant square; the history is cleared.

    ``castling_rooks`` is the bitboard of the rooks that may still castle.
    """
    pos.castling = 0
    for square in range(64):
        pos.castling_mask[square] = 15
    for index in range(4):
        pos.castling_rook[index] = 0
    pos.reversible_plies = pos.halfmove
    pos.game_ply = 0
    refresh(pos)
    while castling_rooks != NOTHING:
        rook = lsb(castling_rooks)
        colour = np.int64(pos.board[rook]) // 6
        king = king_square(pos, colour)
        right = 2 * colour + (0 if rook > king else 1)
        pos.castling |= 1 << right
        pos.castling_rook[right] = rook
        pos.castling_mask[rook] &= ~(1 << right)
        pos.castling_mask[king] &= ~(1 << right)
        castling_rooks &= castling_rooks - ONE
    pos.key ^= castling_key(np.int64(0)) ^ castling_key(pos.castling)


@kernel
def write_start(pos: Position, words: Words, played: Count) -> None:
    """Write the start ``pos`` of a game to ``words``; ``played`` plies came before it."""
    for index in range(MOVES):
        words[index] = 0
    occupied = occupancy(pos)
    rooks = NOTHING
    for index in range(4):
        if pos.castling >> index & 1:
            rooks |= bit(pos.castling_rook[index])
    count = 0
    for square in range(64):
        piece = np.int64(pos.board[square])
        if piece != EMPTY:
            kind = CASTLING_ROOK if rooks & bit(square) != NOTHING else piece % 6
            words[PIECES + (count >> 2)] |= (kind | piece // 6 << 3) << 4 * (count & 3)
            count += 1
    for index in range(4):
        words[OCCUPIED + index] = np.int64(occupied & _WORD16)
        occupied >>= _SIXTEEN
    words[STATE] = pos.en_passant | pos.side << 6 | min(pos.halfmove, 255) << 8
    words[PLAYED] = played
    words[RESULT] = DRAWN


@kernel
def piece_code(words: Words, at: Count, index: Count) -> Count:
    """Return the four bits of piece ``index`` at the start of the game at ``words[at]``."""
    return np.int64(words[at + PIECES + (index >> 2)]) >> 4 * (index & 3) & 15


@kernel
def read_start(pos: Position, words: Words, at: Count) -> None:
    """Set ``pos`` to the start position of the game at ``words[at]``."""
    clear_board(pos)
    occupied = NOTHING
    for index in range(3, -1, -1):
        occupied = occupied << _SIXTEEN | U64(words[at + OCCUPIED + index])
    rooks = NOTHING
    count = 0
    while occupied != NOTHING:
        square = lsb(occupied)
        code = piece_code(words, at, count)
        kind: Count = code & 7
        if kind == CASTLING_ROOK:
            rooks |= bit(square)
            kind = ROOK
        pos.board[square] = kind + 6 * (code >> 3)
        count += 1
        occupied &= occupied - ONE
    state = np.int64(words[at + STATE])
    pos.en_passant = state & 63
    pos.side = state >> 6 & BLACK
    pos.halfmove = state >> 8
    start_from_board(pos, rooks)


@kernel
def read_result(words: Words, at: Count) -> Count:
    """Return the result of the game at ``words[at]``."""
    return np.int64(words[at + RESULT]) & 3


@kernel
def write_ply(words: Words, move: Move, score: Score) -> None:
    """Append a move and its score."""
    end = MOVES + 2 * np.int64(words[PLIES])
    words[end] = move
    words[end + 1] = score & 0xFFFF
    words[PLIES] += 1


@kernel
def read_move(words: Words, at: Count, ply: Count) -> Move:
    """Return move ``ply``, from 0, of the game at ``words[at]``; no move after its end."""
    if ply >= np.int64(words[at + PLIES]):
        return np.int64(NO_MOVE)
    return np.int64(words[at + MOVES + 2 * ply])


@kernel
def read_score(words: Words, at: Count, ply: Count) -> Score:
    """Return the score of move ``ply``, for the side that makes it, or `NO_SCORE`."""
    return (np.int64(words[at + MOVES + 2 * ply + 1]) ^ 0x8000) - 0x8000
