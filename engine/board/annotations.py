"""Types of the parameters of kernels, for readers and for mypy.

numba infers types by itself and ignores these. Every whole number in a kernel has 64 bits,
signed but for bitboards and keys; Python's own ``int`` stands for the constants.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Count: TypeAlias = int | np.int64
"""A whole number that may be a constant: an index, a flag of a move."""

Bonus: TypeAlias = np.int64
"""A history score, or an amount that is added to one."""

MoveCount: TypeAlias = np.int64
"""The number of a move in its node, from 1."""

Flag: TypeAlias = bool | np.bool_ | int | np.int64
"""A truth value, which kernels also do arithmetic with."""

Bitboard: TypeAlias = np.uint64
Key: TypeAlias = np.uint64
Words: TypeAlias = NDArray[np.uint16]

Colour: TypeAlias = Count
Piece: TypeAlias = Count
"""A piece type from 0 or a piece code: see `engine.board.types`."""

Square: TypeAlias = Count
Move: TypeAlias = np.int64
"""16 bits: see `engine.board.move`."""

Ply: TypeAlias = np.int64
"""Plies from the root."""

Depth: TypeAlias = np.int64
"""Plies that are left to search."""

Score: TypeAlias = np.int64
"""Centipawns or a mate score, for the side to move."""

if TYPE_CHECKING:
    from typing import Protocol

    class Position(Protocol):
        """A record of `engine.board.position.POSITION`."""

        by_type: NDArray[np.uint64]
        by_colour: NDArray[np.uint64]
        key: Key
        checkers: Bitboard
        side: Colour
        castling: Count
        en_passant: Count
        halfmove: Count
        reversible_plies: Count
        game_ply: Count
        board: NDArray[np.int8]
        castling_mask: NDArray[np.int8]
        castling_rook: NDArray[np.int8]
        history: NDArray[Any]
        moves: Words

else:
    Position = Any
