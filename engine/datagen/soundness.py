"""Whether games from a file, which anyone can have written, are legal, so that kernels can replay
them.

Kernels do not check indices. An illegal move, or a king that can be captured, would make them read
and write outside their tables.
"""

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Colour, Count, Flag, Position, Words
from engine.board.bitboard import BACK_RANKS, NOTHING, U64
from engine.board.legality import is_legal
from engine.board.makemove import en_passant_square, make, unmake
from engine.board.position import POSITION, attackers, king_square, occupancy, pieces
from engine.board.types import EMPTY, KING, NO_SQUARE, PAWN, QUEEN, WHITE
from engine.datagen.game_record import (
    CASTLING_ROOK,
    MAX_GAME_PLIES,
    MAX_LINE,
    MOVES,
    OCCUPIED,
    PIECES,
    PLIES,
    WHITE_WON,
    game_end,
    moves_end,
    piece_code,
    read_move,
    read_result,
    read_start,
)
from engine.jit.intrinsics import popcount
from engine.jit.kernel import entry, kernel

_MAX_PIECES, _MAX_PAWNS, _MAX_QUEENS = 16, 8, 9
"""Limits for one colour. The moves of more pieces could exceed `engine.board.types.MAX_MOVES`."""


@kernel
def _has_legal_numbers(pos: Position, colour: Colour) -> Flag:
    return (
        popcount(pos.by_colour[colour]) <= _MAX_PIECES
        and popcount(pieces(pos, colour, PAWN)) <= _MAX_PAWNS
        and popcount(pieces(pos, colour, QUEEN)) <= _MAX_QUEENS
    )


@kernel
def _has_legal_castling(pos: Position, rooks: Count) -> Flag:
    """Return whether there is one castling right for each of the ``rooks`` (their number), and each
    right's rook and king are on their back rank."""
    for index in range(4):
        if pos.castling >> index & 1:
            back_rank = 7 * (index >> 1)
            if np.int64(pos.castling_rook[index]) >> 3 != back_rank:
                return False
            if king_square(pos, index >> 1) >> 3 != back_rank:
                return False
    return popcount(U64(pos.castling)) == rooks  # two rooks on one side would share a right


@kernel
def _has_legal_en_passant(pos: Position) -> Flag:
    """Return whether there is no en-passant square, or a legal capture there."""
    square = pos.en_passant
    if square == NO_SQUARE:
        return True
    them, up, rank = pos.side ^ 1, (8 if pos.side == WHITE else -8), (5 if pos.side == WHITE else 2)
    return (
        square >> 3 == rank
        and pos.board[square] == EMPTY
        and pos.board[square + up] == EMPTY
        and pos.board[square - up] == PAWN + 6 * them
        and en_passant_square(pos, square) != NO_SQUARE
    )


@kernel
def _read_legal_start(pos: Position, words: Words, at: Count) -> Flag:
    """Set ``pos`` to the start of the game at ``words[at]``; return whether it is legal."""
    count = np.int64(0)
    for index in range(OCCUPIED, PIECES):
        count += popcount(U64(words[at + index]))
    if count > 2 * _MAX_PIECES:
        return False
    white_kings, black_kings, rooks = np.int64(0), np.int64(0), np.int64(0)
    for index in range(count):
        code = piece_code(words, at, index)
        white_kings += code == KING
        black_kings += code == KING | 8
        rooks += code & 7 == CASTLING_ROOK
        if code & 7 > CASTLING_ROOK:
            return False
    if white_kings != 1 or black_kings != 1:
        return False
    read_start(pos, words, at)
    us, them = pos.side, pos.side ^ 1
    return (
        _has_legal_numbers(pos, us)
        and _has_legal_numbers(pos, them)
        and pos.by_type[PAWN] & BACK_RANKS == NOTHING
        and attackers(pos, king_square(pos, them), us, occupancy(pos)) == NOTHING
        and _has_legal_castling(pos, rooks)
        and _has_legal_en_passant(pos)
    )


@kernel
def _is_legal_line(pos: Position, words: Words, at: Count, length: Count) -> Flag:
    """Return whether the ``length`` moves from ``words[at]`` on are legal."""
    made = np.int64(0)
    while made < length and is_legal(pos, np.int64(words[at + made])):
        make(pos, np.int64(words[at + made]))
        made += 1
    for _ in range(made):
        unmake(pos)
    return made == length


@kernel
def _is_legal_game(pos: Position, words: Words, at: Count) -> Flag:
    """Return whether a legal game begins at ``words[at]``; ``pos`` is overwritten."""
    if at + MOVES > len(words) or read_result(words, at) > WHITE_WON:
        return False
    plies = np.int64(words[at + PLIES])
    line: Count = moves_end(words, at)
    end = game_end(words, at)
    if plies < 1 or plies > MAX_GAME_PLIES or end > len(words):
        return False
    if not _read_legal_start(pos, words, at):
        return False
    has_lines = line < end
    for ply in range(plies):
        if has_lines:
            length = np.int64(words[line]) if line < end else np.int64(MAX_LINE + 1)
            if length > MAX_LINE or line + 1 + length > end:
                return False
            if not _is_legal_line(pos, words, line + 1, length):
                return False
            line += 1 + length
        move = read_move(words, at, ply)
        if not is_legal(pos, move):
            return False
        make(pos, move)
    return line == end


@entry(POSITION, (np.uint16, (1,)), (np.int64, (1,)))
def find_games(pos: Position, words: Words, ends: NDArray[np.int64]) -> Count:
    """Write to ``ends`` where each of the games in ``words`` ends; return their number.

    It stops before an illegal game: then the last end is smaller than ``len(words)``. ``pos``
    is overwritten; ``ends`` needs room for ``len(words) // MOVES`` games.
    """
    count = np.int64(0)
    at: Count = np.int64(0)
    while at < len(words) and _is_legal_game(pos, words, at):
        at = game_end(words, at)
        ends[count] = at
        count += 1
    return count
