"""Results for programs: writes and reads the document of ``--json``."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess

from engine.files import open_file
from uci import __version__
from uci.apps.epd.outcomes import Outcome
from uci.apps.epd.suite_file import Problem, Suite
from uci.apps.games.typed_json import from_json
from uci.errors import UciError, named_errors, shorten

SCHEMA = "pythagoras epd 1"
"""Increased with every incompatible change."""


UNITS = {"nodes": "nodes", "depth": "plies", "movetime": "ms"}
"""Units of the limits."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A position of a document, as needed for a comparison.

    ``expected`` is its solution in words, ``most`` the maximum points, None if there are none.
    """

    name: str
    theme: str
    fen: str
    expected: str
    most: int | None


@dataclass(frozen=True, slots=True)
class Results:
    """A document: the engines, their limit, and an outcome of each per position."""

    engines: list[str]
    limit: dict[str, int]
    asked: list[Asked]
    outcomes: list[list[Outcome]]


def document(
    suite: Suite,
    engines: Mapping[str, str],
    settings: Mapping[str, object],
    outcomes: Mapping[int, Sequence[Outcome]],
) -> dict[str, object]:
    """Return the document; ``engines`` are commands by name, ``outcomes`` those of ``suite``."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "engines": [{"name": name, "command": word} for name, word in engines.items()],
        **settings,
        "complete": len(outcomes) == len(suite.problems),
        "repaired": suite.repaired,
        "complaints": [asdict(complaint) for complaint in suite.complaints],
        "positions": [
            {
                **asked(suite.problems[number]),
                "outcomes": [asdict(each) for each in outcomes[number]],
            }
            for number in sorted(outcomes)
        ],
    }


def asked(problem: Problem) -> dict[str, object]:
    """Return a position's entry in a document, without its outcomes."""
    return {
        "file": problem.file,
        "line": problem.line,
        "id": problem.id,
        "theme": problem.theme,
        "fen": problem.board.fen(),
        "goal": goal_of(problem),
    }


def goal_of(problem: Problem) -> dict[str, object]:
    """Return the goal of a position, with moves in algebraic notation, without empty parts."""

    def san(moves: Sequence[chess.Move]) -> list[str]:
        return [problem.board.san(move) for move in moves]

    goal = problem.goal
    points = dict(zip(san([*goal.points]), goal.points.values(), strict=True))
    found = {"bm": san(goal.best), "am": san(goal.avoid), "dm": goal.mate, "points": points}
    return {name: value for name, value in found.items() if value}


def expected(goal: Mapping[str, Any]) -> str:
    """Return the solution of a document's goal in words."""
    words = []
    if best := goal.get("bm"):
        words.append(" ".join(best))
    if avoid := goal.get("am"):
        words.append(f"not {' '.join(avoid)}")
    if not words and (points := goal.get("points")):
        words.append(" ".join(san for san, each in points.items() if each == max(points.values())))
    return ", ".join(words) or f"mate in {goal['dm']}"


def limit_words(limit: Mapping[str, int]) -> str:
    """Return a limit in words."""
    return ", ".join(f"{number:,} {UNITS[name]}" for name, number in limit.items())


def read_results(path: Path) -> Results:
    """Return the contents of a document. Raises `UciError`."""
    name = shorten(str(path))
    with named_errors(path), open_file(path) as file:
        data = file.read()
    try:
        found = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise UciError(f"{name}: not valid JSON: {shorten(str(error))}") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise UciError(f"{name}: expected results of this version of pythagoras epd")
    try:
        return _results(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UciError(f"{name}: damaged: {type(error).__name__}: {error}") from None


def _results(found: dict[str, Any]) -> Results:
    engines = [str(each["name"]) for each in found["engines"]]
    limit = {str(name): int(number) for name, number in found["limit"].items()}
    if not limit.keys() <= UNITS.keys():
        raise ValueError("an unknown limit")
    asked, outcomes = [], []
    for position in found["positions"]:
        if len(position["outcomes"]) != len(engines):
            raise ValueError("an engine's answer is missing")
        name = position["id"] or f"{Path(position['file']).name}:{position['line']}"
        points = position["goal"].get("points") or {}
        asked.append(
            Asked(
                str(name),
                str(position["theme"]),
                str(position["fen"]),
                expected(position["goal"]),
                max(map(int, points.values()), default=None),
            )
        )
        outcomes.append([from_json(Outcome, each) for each in position["outcomes"]])
    return Results(engines, limit, asked, outcomes)
