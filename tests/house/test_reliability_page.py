"""The page of reliability names tests that are there, and its games add up."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "tests" / "RELIABILITY.md").read_text(encoding="utf-8")
TESTS = {
    node.name: (path, [ast.unparse(each) for each in node.decorator_list])
    for path in (ROOT / "tests").rglob("test_*.py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
}


def section(title: str) -> str:
    """Return the text under a heading."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """Return the cells of the tables under a heading, without their heads."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    tables = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in tables if not re.fullmatch(r"-+", row[0])]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", PAGE))))
def test_tests_that_it_names_are_there(name: str) -> None:
    assert name in TESTS


def test_every_kind_of_fault_has_a_row_and_every_row_a_test() -> None:
    _, *kinds = rows("Faults")
    named = set(re.findall(r"`(test_\w+)`", section("Faults")))
    assert all("`" in held for _, held in kinds)
    assert len(kinds) >= 30
    assert int(re.search(r"`pytest tests/faults` \| (\d+) kinds", PAGE)[1]) == len(kinds)
    here = {
        name
        for name, (path, marks) in TESTS.items()
        if path.parent.name == "faults" and "pytest.mark.long" not in marks
    }
    about_tools = {name for name, (path, _) in TESTS.items() if path.stem == "test_faults"}
    assert here - about_tools <= named


def test_the_games_of_all_sittings_add_up() -> None:
    """Those of each kind of players, and how many were lost on time."""
    _, *sittings = rows("Games")
    found: dict[str, list[int]] = {}
    for _date, players, _commit, _seed, fast, cute, late, _other in sittings:
        sums = found.setdefault(players, [0, 0])
        sums[0] += int(fast.replace(",", "")) + int(cute.replace(",", ""))
        sums[1] += int(late)
    told = {
        players: [int(games.replace(",", "")), int(late)]
        for players, games, late in re.findall(
            r"^- (.+?): ([\d,]+) games, (\d+) of them lost on time", section("Games"), re.MULTILINE
        )
    }
    assert told == found
