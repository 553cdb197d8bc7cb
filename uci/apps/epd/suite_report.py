"""Results for display: the engines, the themes, and the unsolved positions."""

from collections.abc import Iterator, Mapping, Sequence

from uci.apps.console.rounding import in_pawns
from uci.apps.console.terminal import print_table
from uci.apps.epd.outcomes import Outcome, Total, total
from uci.apps.epd.suite_file import Problem, Suite
from uci.apps.epd.suite_json import expected, goal_of
from uci.errors import counted

OTHERS = "(others)"
"""The theme of all positions that would be alone in theirs."""

ReportTable = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A title, headings and rows."""


def report(
    suite: Suite, engines: Sequence[str], outcomes: Mapping[int, Sequence[Outcome]], limit: str
) -> Iterator[ReportTable]:
    """Yield the tables for the positions that have ``outcomes``; ``limit`` is in words."""
    numbers = sorted(outcomes)
    yield _summary(suite, engines, outcomes, limit)
    themes = grouped({number: suite.problems[number].theme for number in numbers})
    if len(themes) > 1:
        yield _by_theme(suite, engines, outcomes, themes)
    missed = [number for number in numbers if not all(o.solved for o in outcomes[number])]
    if missed:
        headings = ("position", "expected", *([] if len(engines) > 1 else ["played"]))
        rows = [
            [suite.problems[number].name, expected(goal_of(suite.problems[number]))]
            + [_answer(outcome, len(engines) > 1) for outcome in outcomes[number]]
            for number in missed
        ]
        title = f"Not solved: {len(missed):,}"
        if len(engines) > 1:
            title, headings = f"Not solved by all: {len(missed):,}", (*headings, *engines)
        yield title, headings, rows


def grouped(themes: Mapping[int, str]) -> dict[str, list[int]]:
    """Return the numbers of the positions by theme; a theme needs at least two positions."""
    found: dict[str, list[int]] = {}
    for number, theme in themes.items():
        found.setdefault(theme, []).append(number)
    single = [numbers[0] for numbers in found.values() if len(numbers) == 1]
    several = {theme: numbers for theme, numbers in found.items() if len(numbers) > 1}
    if not several or not single:
        return several or {OTHERS: single}
    return several | {OTHERS: sorted(single)}


def added_up(
    problems: Sequence[Problem],
    outcomes: Mapping[int, Sequence[Outcome]],
    numbers: Sequence[int],
    place: int,
) -> Total:
    """Add up the outcomes of the engine at index ``place`` in some positions."""
    return total(
        [problems[number].goal.most for number in numbers],
        [outcomes[number][place] for number in numbers],
    )


def _summary(
    suite: Suite, engines: Sequence[str], outcomes: Mapping[int, Sequence[Outcome]], limit: str
) -> ReportTable:
    totals = [added_up(suite.problems, outcomes, sorted(outcomes), n) for n in range(len(engines))]
    headings = ["engine", "solved", "points", "time to solution", "nodes", "mean depth", "errors"]
    rows = [
        [
            name, solved(each), points(each), seconds(each.time), f"{each.nodes:,}",
            "" if each.depth is None else f"{each.depth:.1f}", str(each.errors or ""),
        ]
        for name, each in zip(engines, totals, strict=True)
    ]  # fmt: skip
    title = f"{counted(len(outcomes), 'position')}, {limit}"
    if len(outcomes) < len(suite.problems):
        title += f"; {len(suite.problems) - len(outcomes):,} more were not searched"
    return (title, *without_empty(headings, rows))


def _by_theme(
    suite: Suite,
    engines: Sequence[str],
    outcomes: Mapping[int, Sequence[Outcome]],
    themes: Mapping[str, Sequence[int]],
) -> ReportTable:
    headings = ["theme", "positions"]
    for name in engines:
        prefix = f"{name}: " if len(engines) > 1 else ""
        headings += [f"{prefix}solved", f"{prefix}points"]
    rows = []
    for theme, numbers in themes.items():
        row = [theme, f"{len(numbers):,}"]
        for place in range(len(engines)):
            each = added_up(suite.problems, outcomes, numbers, place)
            row += [solved(each), points(each)]
        rows.append(row)
    return ("By theme", *without_empty(headings, rows))


def _answer(outcome: Outcome, show_solved: bool) -> str:
    if outcome.error:
        return outcome.error
    if outcome.solved and show_solved:
        return f"solved, {seconds(outcome.counted)}"
    worth = "" if outcome.points is None else f", {outcome.points} points"
    return f"{outcome.san} ({score(outcome)}{worth})"


def score(outcome: Outcome) -> str:
    """Return a score in pawns or moves to mate."""
    if outcome.mate is not None:
        return f"mate in {outcome.mate}" if outcome.mate > 0 else f"mated in {-outcome.mate}"
    return "no score" if outcome.cp is None else in_pawns(outcome.cp)


def solved(each: Total) -> str:
    """Return how many positions were solved, as text."""
    return f"{each.solved:,} of {each.positions:,} ({each.solved / max(each.positions, 1):.1%})"


def points(each: Total) -> str:
    """Return the points as text; empty if there are none."""
    if each.points is None or not each.most:
        return ""
    return f"{each.points:,} of {each.most:,} ({each.points / each.most:.1%})"


def seconds(milliseconds: int) -> str:
    """Return a time in seconds."""
    return f"{milliseconds / 1000:,.2f} s"


def without_empty(
    headings: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """Return a table without its empty columns."""
    kept = [at for at in range(len(headings)) if any(row[at] for row in rows)]
    return [headings[at] for at in kept], [[row[at] for at in kept] for row in rows]


def print_tables(tables: Iterator[ReportTable]) -> None:
    """Print tables, with a blank line between them."""
    for number, (title, headings, rows) in enumerate(tables):
        if number:
            print()
        print_table(title, headings, rows)
