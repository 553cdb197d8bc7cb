"""Reads files of positions to solve: the readable ones, and complaints about the others."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import digits, whitespace
from typing import IO

import chess

from uci.apps.console.arguments import STREAM
from uci.apps.epd.solutions import Goal, read_goal
from uci.apps.games.epd_line import BadEpd, read_line
from uci.chess_io.compressed import decompressed, open_text
from uci.chess_io.convert import board_of
from uci.chess_io.encodings import Encoding
from uci.chess_io.text_files import text_lines
from uci.errors import UciError, counted


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
    for (file, reason), same in by_fault.items():
        first = same[0]
        if len(same) == 1:
            yield str(first)
        else:
            yield f"{file}: {counted(len(same), 'line')}: {reason} (the first is line {first.line})"


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
            if name == STREAM:
                _read(name, decompressed(sys.stdin.buffer), suite)
            else:
                with open_text(name) as stream:
                    _read(name, stream, suite)
        except OSError as error:
            suite.complaints.append(Complaint(name, 0, error.strerror or str(error)))
    return suite


def _read(name: str, stream: IO[bytes], suite: Suite) -> None:
    before = len(suite.problems) + len(suite.complaints)

    def report(encoding: Encoding) -> None:
        suite.notes.append(f"{name}: {encoding}")

    _read_lines(name, (text for _, text in text_lines(stream, report)), suite)
    if len(suite.problems) + len(suite.complaints) == before:
        suite.complaints.append(Complaint(name, 0, "the file contains no positions"))


def _read_lines(name: str, lines: Iterable[str], suite: Suite) -> None:
    for number, text in enumerate(lines, 1):
        if not text.strip() or text.lstrip().startswith(("#", "%", "//")):
            continue
        try:
            problem, repairs = read_problem(name, number, text)
        except ValueError as error:
            suite.complaints.append(Complaint(name, number, str(error)))
        else:
            suite.problems.append(problem)
            suite.repaired += bool(repairs)
            suite.repairs.update(repairs)


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
