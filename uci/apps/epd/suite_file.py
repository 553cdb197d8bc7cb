"""Reads files of positions to solve: the readable ones, and complaints about the others."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import digits, whitespace
from typing import IO

import chess

from uci.apps.epd.solutions import Goal, read_goal
from uci.apps.games.epd_line import BadEpd, read_line
from uci.apps.games.position_lines import open_positions, position_lines
from uci.chess_io.convert import board_of
from uci.chess_io.encodings import Encoding
from uci.errors import UciError, counted, reason


@dataclass(frozen=True, slots=True)
class Problem:
    """A position to solve. ``file`` and ``line`` are its source; ``id`` may be empty."""

    file: str
    line: int
    id: str
    theme: str
    board: chess.Board
    goal: Goal

    @property
    def name(self) -> str:
        """The name of the position for display."""
        return self.id or f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True, slots=True)
class Complaint:
    """The error of a line, or of a file if ``line`` is 0."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.reason}"


def summed_up(complaints: Iterable[Complaint]) -> Iterator[str]:
    """Yield a line for each complaint, one for all lines of a file with the same error."""
    by_fault: dict[tuple[str, str], list[Complaint]] = {}
    for complaint in complaints:
        by_fault.setdefault((complaint.file, complaint.reason), []).append(complaint)
    for same in by_fault.values():
        first = same[0]
        if len(same) == 1:
            yield str(first)
        else:
            count = f"{counted(len(same), 'line')}: {first.reason}"
            yield f"{first.file}: {count} (the first is line {first.line})"


@dataclass(slots=True)
class Suite:
    """The positions of some files; the number of ``repaired`` lines, and of each repair.

    ``notes`` are the assumptions about a file.
    """

    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)
    repaired: int = 0
    repairs: Counter[str] = field(default_factory=Counter)


def read_suite(names: Sequence[str]) -> Suite:
    """Read files, ``-`` for standard input. Never raises: errors become complaints."""
    suite = Suite()
    for name in names:
        try:
            with open_positions(name) as stream:
                _read(name, stream, suite)
        except OSError as error:
            suite.complaints.append(Complaint(name, 0, reason(error)))
    return suite


def _read(name: str, stream: IO[bytes], suite: Suite) -> None:
    before = len(suite.problems) + len(suite.complaints)

    def report(encoding: Encoding) -> None:
        suite.notes.append(f"{name}: {encoding}")

    for line in position_lines(stream, report):
        try:
            problem, repairs = read_problem(name, line.number, line.text)
        except ValueError as error:
            suite.complaints.append(Complaint(name, line.number, str(error)))
        else:
            suite.problems.append(problem)
            suite.repaired += bool(repairs)
            suite.repairs.update(repairs)
    if len(suite.problems) + len(suite.complaints) == before:
        suite.complaints.append(Complaint(name, 0, "the file contains no positions"))


def read_problem(file: str, number: int, text: str) -> tuple[Problem, set[str]]:
    """Return the position of a line, and the repairs that it needed.

    Raises `ValueError` with the error.
    """
    line = read_line(text)
    try:
        board = board_of(line.fen)
    except UciError as error:
        raise BadEpd(str(error)) from None
    if not any(board.generate_legal_moves()):
        raise BadEpd("the side to move has no legal moves")
    goal = read_goal(line, board)
    name = " ".join(line.operands.get("id", "").split())
    return Problem(file, number, name, theme_of(name) or Path(file).stem, board, goal), line.repairs


def theme_of(name: str) -> str:
    """Return an ``id`` without the number at its end."""
    bare = name.rstrip()
    theme = bare.rstrip(digits)
    return name if theme == bare else theme.rstrip(f"{whitespace}._:#-")
