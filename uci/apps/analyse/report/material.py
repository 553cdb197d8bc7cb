"""The material balance of a variation, by the standard piece values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import chess

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
"""Piece values in points."""

POINT_AHEAD = 30
"""Minimum score in centipawns for each point of material lead."""

MOST_CAPTURES = 1000
"""Maximum number of captures to search at the end of a variation."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Gain:
    """The material gain of a side by a whole variation.

    ``pieces`` are the captured minus the lost ones, by kind. ``at_risk`` are the points that the
    opponent, to move at the end, can still win by captures and promotions; a side's own captures
    count only if the variation contains them. ``lead`` is the side's material lead afterwards, in
    points.
    """

    pieces: Mapping[chess.PieceType, int]
    promotes: bool
    at_risk: int
    lead: int

    @classmethod
    def of(cls, board: chess.Board, variation: Sequence[str], side: chess.Color) -> Self:
        """Return the gain of ``side`` by a ``variation`` from ``board``, in UCI notation."""
        end = board.copy(stack=False)
        for text in variation:
            end.push_uci(text)
        before, after = _ahead(board, side), _ahead(end, side)
        pieces = {kind: after[kind] - before[kind] for kind in VALUES}
        at_risk = winnable(end) if end.turn != side else 0
        lead = _points(after) - at_risk
        return cls(pieces, any(len(text) > 4 for text in variation), at_risk, lead)

    @property
    def shown(self) -> int:
        """The gain in points at the end of the variation; negative for a loss."""
        return _points(self.pieces)

    @property
    def points(self) -> int:
        """The gain in points that the side can keep."""
        return self.shown - self.at_risk

    def agrees(self, centipawns: int) -> bool:
        """Return whether a score from the side's view confirms its material lead.

        It does not if a perpetual check, a fortress or an attack compensates for the material.
        """
        return self.lead <= 0 or centipawns >= POINT_AHEAD * self.lead

    @property
    def words(self) -> str:
        """The gain in words if ``points`` are above 0, such as "wins a rook for a knight".

        With promotions or open captures it names points, since pieces would be misleading.
        """
        if self.promotes or self.at_risk:
            return f"gains {self.points} point{'s' if self.points > 1 else ''} of material"
        gained = {kind: number for kind, number in self.pieces.items() if number > 0}
        given = {kind: -number for kind, number in self.pieces.items() if number < 0}
        if gained == {chess.ROOK: 1} and given in ({chess.KNIGHT: 1}, {chess.BISHOP: 1}):
            return "wins the exchange"
        return f"wins {_named(gained)}" + (f" for {_named(given)}" if given else "")


def winnable(board: chess.Board) -> int:
    """Return how many points the side to move can win by captures and promotions alone.

    Both sides may stop at any time, even in check. If there are too many captures to search, it
    returns all of the opponent's material.
    """
    try:
        return _quiescence(board.copy(stack=False), 0, _BOUND, iter(range(MOST_CAPTURES)))
    except StopIteration:
        return sum(
            value * len(board.pieces(kind, not board.turn)) for kind, value in VALUES.items()
        )


_BOUND = 1000
"""An upper bound of the points."""


def _quiescence(board: chess.Board, alpha: int, beta: int, budget: Iterator[int]) -> int:
    """Return the points that the side to move wins, by alpha-beta; `StopIteration` if out of
    budget."""
    alpha = max(alpha, 0)
    moves = [(_won(board, move), move) for move in _captures(board)]
    for won, move in sorted(moves, key=lambda each: -each[0]):
        if alpha >= beta:
            break
        next(budget)
        board.push(move)
        alpha = max(alpha, won - _quiescence(board, won - beta, won - alpha, budget))
        board.pop()
    return alpha


def _captures(board: chess.Board) -> Iterator[chess.Move]:
    """Yield the captures and the promotions of the side to move."""
    yield from board.generate_legal_captures()
    last_rank = chess.BB_RANK_8 if board.turn else chess.BB_RANK_1
    yield from board.generate_legal_moves(board.pawns, last_rank & ~board.occupied)


def _won(board: chess.Board, move: chess.Move) -> int:
    """Return the points that a move wins immediately."""
    taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    won = VALUES[taken] if taken else 0
    return won + (VALUES[move.promotion] - VALUES[chess.PAWN] if move.promotion else 0)


def _ahead(board: chess.Board, side: chess.Color) -> dict[chess.PieceType, int]:
    """Return how many more pieces of each kind ``side`` has than its opponent."""
    return {kind: len(board.pieces(kind, side)) - len(board.pieces(kind, not side))
            for kind in VALUES}  # fmt: skip


def _points(pieces: Mapping[chess.PieceType, int]) -> int:
    return sum(VALUES[kind] * number for kind, number in pieces.items())


def _named(numbers: Mapping[chess.PieceType, int]) -> str:
    """Return pieces in words, such as "a rook and two pawns"."""
    names = []
    for kind in sorted(numbers, reverse=True):
        name, number = chess.piece_name(kind), numbers[kind]
        many = NUMBERS[number] if number < len(NUMBERS) else str(number)
        names.append(f"a {name}" if number == 1 else f"{many} {name}s")
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
