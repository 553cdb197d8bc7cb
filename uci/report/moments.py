"""The key moments of a game, and what is said of them: only what the lines show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import chess

from uci.report.document import Json

MOST = 6
"""Moments of a game."""

SOON = 8
"""Plies of a line within which something is won because of a move."""

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}


@dataclass(frozen=True, slots=True)
class Moment:
    """A move of a game, by its place from 0, and a sentence on it."""

    index: int
    sentence: str


def key_moments(game: Json) -> list[Moment]:
    """Return at most `MOST` moves that cost the most chances, in the order of the game."""
    moves = game["moves"]
    bad = [index for index, move in enumerate(moves) if move["verdict"]]
    worst = sorted(bad, key=lambda index: (-moves[index]["points_lost"], index))[:MOST]
    return [Moment(index, sentence(game, index)) for index in sorted(worst)]


def sentence(game: Json, index: int) -> str:
    """Return what a bad move did, in words."""
    move = game["moves"][index]
    before, after = game["positions"][index], game["positions"][index + 1]
    color = chess.WHITE if move["color"] == "white" else chess.BLACK
    other = SIDES[not color]
    best, answer = before["lines"][0], (after["lines"] or [{}])[0]
    mate_before, mate_after = _mate(best, color), _mate(answer, color)
    if mate_after is not None and mate_after < 0:
        return f"{move['san']} lets {other} mate in {-mate_after}." + _instead(move, best, color)
    if mate_before is not None and mate_before > 0:
        return f"{move['san']} misses a mate in {mate_before}: {move['best']} was the way."
    board = chess.Board(before["fen"], chess960=game["chess960"])
    kept = Balance.of(board, best["uci"], color)
    lost = Balance.of(board, [move["uci"], *answer.get("uci", [])], color)
    if lost.worth < min(0, kept.worth):
        what = f"After {move['san']} {other} {lost.mirrored.words} in the best line."
        return what + _instead(move, best, color)
    if kept.worth > max(0, lost.worth):
        return f"{move['san']} misses {move['best']}, which {kept.words} in the best line."
    return f"{move['san']} gives away chances that {move['best']} keeps."


def _mate(line: Json, color: chess.Color) -> int | None:
    """Return in how many moves ``color`` mates, below 0 is mated; None for another score."""
    mate: int | None = line.get("mate")
    return mate if mate is None or color == chess.WHITE else -mate


def _instead(move: Json, best: Json, color: chess.Color) -> str:
    """Return what the better move would have led to."""
    mate = _mate(best, color)
    if mate is not None and mate > 0:
        return f" {move['best']} mates in {mate}."
    return f" {move['best']} was better."


@dataclass(frozen=True, slots=True)
class Balance:
    """What a line changes for a side: by kind, how many men more it takes than it loses."""

    men: Mapping[chess.PieceType, int]
    promotes: bool

    @classmethod
    def of(cls, board: chess.Board, line: Sequence[str], color: chess.Color) -> Self:
        """Return that of the first moves of ``line``, for ``color``, and of captures after them."""
        end, played = board.copy(stack=False), 0
        for text in line:
            move = end.parse_uci(text)
            if played >= SOON and not end.is_capture(move):
                break
            end.push(move)
            played += 1

        def gone(kind: chess.PieceType, side: chess.Color) -> int:
            return len(board.pieces(kind, side)) - len(end.pieces(kind, side))

        men = {kind: gone(kind, not color) - gone(kind, color) for kind in VALUES}
        return cls(men, any(len(text) > 4 for text in line[:played]))

    @property
    def mirrored(self) -> "Balance":
        """The same for the other side."""
        return Balance({kind: -n for kind, n in self.men.items()}, self.promotes)

    @property
    def worth(self) -> int:
        """What that is worth in pawns."""
        return sum(VALUES[kind] * number for kind, number in self.men.items())

    @property
    def words(self) -> str:
        """What the side does, where it is worth something: "wins a rook for a knight"."""
        if self.promotes:
            return f"comes out {self.worth} points of material ahead"
        gained = {kind: number for kind, number in self.men.items() if number > 0}
        given = {kind: -number for kind, number in self.men.items() if number < 0}
        if gained == {chess.ROOK: 1} and given in ({chess.KNIGHT: 1}, {chess.BISHOP: 1}):
            return "wins the exchange"
        return f"wins {_men(gained)}" + (f" for {_men(given)}" if given else "")


def _men(numbers: Mapping[chess.PieceType, int]) -> str:
    """Return "a rook and two pawns"."""
    names = []
    for kind in sorted(numbers, key=lambda kind: -VALUES[kind]):
        name, number = chess.piece_name(kind), numbers[kind]
        names.append(f"a {name}" if number == 1 else f"{NUMBERS[number]} {name}s")
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
