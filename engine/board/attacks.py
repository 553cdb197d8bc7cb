"""Attacks of every piece, by small tables that stay in the first-level cache.

Sliders are looked up by kindergarten bitboards (Urban Koch, Gerd Isenberg, Chess
Programming Wiki): a multiplication gathers the six inner squares of a line into an
index. The four line tables take 9 KB, where magic bitboards take 800 KB; being this small
they can be constants of the compiled code.
"""

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Bitboard, Colour, Square
from engine.board.bitboard import FILE_A, U64
from engine.jit.kernel import kernel

_B_FILE = U64(0x0202020202020202)
_C2_H7 = U64(0x0080402010080400)
_TOP_SIX = U64(58)

_DIRECTIONS = {"rank": (1, 0), "file": (0, 1), "diagonal": (1, 1), "antidiagonal": (1, -1)}
_KNIGHT_STEPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
_KING_STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def _ray(square: int, dx: int, dy: int, occupied: int = 0) -> int:
    """Walk from ``square`` until the edge or the first occupied square, included."""
    x, y, squares = square % 8 + dx, square // 8 + dy, 0
    while 0 <= x < 8 and 0 <= y < 8:
        squares |= 1 << (8 * y + x)
        if occupied >> (8 * y + x) & 1:
            break
        x, y = x + dx, y + dy
    return squares


def _line(square: int, name: str, occupied: int = 0) -> int:
    dx, dy = _DIRECTIONS[name]
    return _ray(square, dx, dy, occupied) | _ray(square, -dx, -dy, occupied)


def _steps(square: int, steps: list[tuple[int, int]]) -> int:
    x, y = square % 8, square // 8
    return sum(
        1 << (8 * (y + dy) + x + dx) for dx, dy in steps if 0 <= x + dx < 8 and 0 <= y + dy < 8
    )


def _table(values: list[int]) -> NDArray[np.uint64]:
    return np.array(values, dtype=np.uint64)


def _rank_fill() -> NDArray[np.uint64]:
    """Return the attacks along a rank by file and inner occupancy, copied to all eight ranks."""
    fill = np.zeros((8, 64), dtype=np.uint64)
    for file in range(8):
        for inner in range(64):
            fill[file, inner] = _line(file, "rank", inner << 1) * int(FILE_A)
    return fill


def _file_attacks() -> NDArray[np.uint64]:
    """Return the attacks along the a-file by rank and gathered occupancy."""
    attacks = np.zeros((8, 64), dtype=np.uint64)
    for rank in range(8):
        for inner in range(64):
            occupied = sum(1 << (8 * (i + 1)) for i in range(6) if inner >> i & 1)
            gathered = (occupied * int(_C2_H7) & (1 << 64) - 1) >> 58
            attacks[rank, gathered] = _line(8 * rank, "file", occupied)
    return attacks


def _between() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    between = np.zeros((64, 64), dtype=np.uint64)
    line = np.zeros((64, 64), dtype=np.uint64)
    for a in range(64):
        for name in _DIRECTIONS:
            whole = _line(a, name)
            for b in range(64):
                if whole >> b & 1:
                    between[a, b] = _line(a, name, 1 << b) & _line(b, name, 1 << a)
                    line[a, b] = whole | 1 << a
    return between, line


_RANK = _table([_line(square, "rank") for square in range(64)])
_DIAGONAL = _table([_line(square, "diagonal") for square in range(64)])
_ANTIDIAGONAL = _table([_line(square, "antidiagonal") for square in range(64)])
_FILL = _rank_fill()
_FILE = _file_attacks()
_KNIGHT = _table([_steps(square, _KNIGHT_STEPS) for square in range(64)])
_KING = _table([_steps(square, _KING_STEPS) for square in range(64)])
_PAWN = np.array(
    [[_steps(square, [(-1, dy), (1, dy)]) for square in range(64)] for dy in (1, -1)],
    dtype=np.uint64,
)
_BETWEEN, _LINE = _between()


@kernel
def knight_attacks(square: Square) -> Bitboard:
    """Return the squares that a knight on ``square`` attacks."""
    return _KNIGHT[square]


@kernel
def king_attacks(square: Square) -> Bitboard:
    """Return the squares that a king on ``square`` attacks."""
    return _KING[square]


@kernel
def pawn_attacks(colour: Colour, square: Square) -> Bitboard:
    """Return the squares that a pawn of ``colour`` on ``square`` attacks."""
    return _PAWN[colour, square]


@kernel
def bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a bishop on ``square`` attacks."""
    diagonal, antidiagonal, file = _DIAGONAL[square], _ANTIDIAGONAL[square], square & 7
    attacks = diagonal & _FILL[file, ((diagonal & occupied) * _B_FILE) >> _TOP_SIX]
    return attacks | antidiagonal & _FILL[file, ((antidiagonal & occupied) * _B_FILE) >> _TOP_SIX]


@kernel
def rook_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a rook on ``square`` attacks."""
    rank, file = _RANK[square], U64(square & 7)
    attacks = rank & _FILL[square & 7, ((rank & occupied) * _B_FILE) >> _TOP_SIX]
    gathered = (((occupied >> file) & FILE_A) * _C2_H7) >> _TOP_SIX
    return attacks | _FILE[square >> 3, gathered] << file


@kernel
def queen_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a queen on ``square`` attacks."""
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied)


@kernel
def between(a: Square, b: Square) -> Bitboard:
    """Return the squares strictly between ``a`` and ``b``; empty if they share no line."""
    return _BETWEEN[a, b]


@kernel
def line(a: Square, b: Square) -> Bitboard:
    """Return the whole line through ``a`` and ``b``; empty if they share no line."""
    return _LINE[a, b]
