"""The goal of a position: moves to find, moves to avoid, a mate, or points for moves."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import chess

from uci.apps.games.epd_line import AVOID, BadEpd, EpdLine, clean_moves
from uci.apps.games.move_reading import read_move
from uci.apps.games.pgn_words import is_foreign
from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number

_ONE_POINT = r"\s*[^\s=,;]+(?:\s*=\s*[QRBNqrbn])?\s*=\s*\d+\s*"
_POINTS = re.compile(rf"{_ONE_POINT}(?:[,;]{_ONE_POINT})*(?:[,;]\s*)?")


@dataclass(frozen=True, slots=True)
class Goal:
    """What solves a position.

    A move of ``best`` that is not in ``avoid``; without ``best`` and ``avoid`` a move with the most
    ``points``; without these a mate in at most ``mate`` moves.
    """

    best: tuple[chess.Move, ...] = ()
    avoid: tuple[chess.Move, ...] = ()
    mate: int | None = None
    points: Mapping[chess.Move, int] = field(default_factory=dict)

    @property
    def asks_for_mate(self) -> bool:
        """Whether the score counts, and not the move."""
        return not (self.best or self.avoid or self.points)

    @property
    def most(self) -> int | None:
        """The maximum points of a move; None if there are no points."""
        return max(self.points.values(), default=None)

    def reached(self, move: chess.Move | None, mate: int | None) -> bool:
        """Return whether a move, or the number of moves to mate in the score, solves the
        position."""
        if self.asks_for_mate:
            return mate is not None and self.mate is not None and 0 < mate <= self.mate
        if move is None:
            return False
        if self.best or self.avoid:
            return (not self.best or move in self.best) and move not in self.avoid
        return self.points.get(move, 0) == self.most

    def points_of(self, move: chess.Move | None) -> int | None:
        """Return the points of a move; None if there are no points."""
        if not self.points:
            return None
        return self.points.get(move, 0) if move else 0


def read_goal(line: EpdLine, board: chess.Board) -> Goal:
    """Return the goal of a line for its position. Raises `BadEpd`, also if it has no goal."""
    best = tuple(_move(board, "bm", text) for text in line.moves("bm"))
    avoid = tuple(_avoid(line, board, bool(best)))
    if best and set(best) <= set(avoid):
        raise BadEpd("bm and am name the same moves")
    try:
        points = _points(line, board)
    except BadEpd:
        if not (best or avoid):
            raise
        points = {}
    mate = None if best or avoid or points else _mate(line.operands.get("dm"))
    if not (best or avoid or points or mate):
        raise BadEpd("nothing to solve: expected bm, am, dm or points")
    return Goal(best, avoid, mate, points)


def _avoid(line: EpdLine, board: chess.Board, has_best: bool) -> Iterator[chess.Move]:
    """Yield the moves to avoid. If there are best moves, unreadable moves are skipped."""
    for text in line.moves("am"):
        try:
            yield _move(board, "am", text)
        except BadEpd:
            if not has_best:
                raise
            line.repairs.add(AVOID)


def _move(board: chess.Board, opcode: str, text: str) -> chess.Move:
    """Return the move ``text``, in algebraic or coordinate notation. Raises `BadEpd`."""
    if is_foreign(text):
        raise BadEpd(f"{opcode} {shorten(text)} does not use English piece letters")
    try:
        return read_move(board, text)
    except UciError as error:
        raise BadEpd(f"{opcode} {error}") from None


def _mate(operand: str | None) -> int | None:
    if operand is None:
        return None
    number = whole_number(operand)
    if number is None or number < 1:
        raise BadEpd(f"dm {shorten(operand)}: expected a number of moves")
    return number


def _points(line: EpdLine, board: chess.Board) -> dict[chess.Move, int]:
    """Return the points of moves: ``c0 "Qf4=10, Re2=3"``, or ``c8`` for the moves of ``c9`` or
    ``c7``.

    If a move is listed twice, the greater number counts.
    """
    text = line.operands.get("c0", "")
    if _POINTS.fullmatch(text):
        opcode, pairs = "c0", _pairs(text)
    elif line.operands.get("c8") and (line.operands.get("c9") or line.operands.get("c7")):
        opcode = "c9" if line.operands.get("c9") else "c7"
        words = line.operands["c8"].replace(",", " ").split()
        moves = list(clean_moves(line.operands[opcode], set()))
        if len(words) != len(moves) or not all(word.isdecimal() for word in words):
            raise BadEpd(f"c8 and {opcode}: the numbers of points and moves differ")
        pairs = [(move, int(word)) for move, word in zip(moves, words, strict=True)]
    else:
        return {}
    found: dict[chess.Move, int] = {}
    for text, number in pairs:
        move = _move(board, opcode, text)
        found[move] = max(number, found.get(move, 0))
    return found if any(found.values()) else {}


def _pairs(text: str) -> Sequence[tuple[str, int]]:
    found = []
    for part in re.split(r"[,;]", text):
        name, _, number = part.rpartition("=")
        found += [(move, int(number)) for move in clean_moves(name, set())]
    return found
