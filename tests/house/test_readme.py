"""The pages tell what the engine has, and what its tests have."""

import ast
from collections.abc import Iterator
from pathlib import Path

from uci.protocol.options import OPTIONS, Option


def row(option: Option) -> str:
    """Return an option's row of the table: name, values, default, meaning."""
    values = {
        "spin": f"{option.low} to {option.high}",
        "check": "true, false",
        "string": "read only" if option.fixed else "text",
        "button": "–",
    }
    default = "–" if option.default in (None, "") or option.fixed else str(option.default)
    default = default.lower() if option.kind == "check" else default
    return f"| `{option.name}` | {values[option.kind]} | {default} | {option.doc} |"


def test_the_table_of_options(root: Path) -> None:
    head = "| option | values | default | meaning |\n| --- | --- | --- | --- |"
    table = "\n".join([head, *map(row, OPTIONS)])
    assert f"\n\n{table}\n\n" in (root / "uci" / "README.md").read_text(encoding="utf-8")


def first_cells(root: Path, heading: str) -> list[str]:
    """Return the first cell of each row of the tables under a heading of the tests' page."""
    page = (root / "tests" / "README.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]


def timed_tests(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the tests of a file that are ``timed``, each with its reason."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            for mark in node.decorator_list:
                match mark:
                    case ast.Call(ast.Name("timed"), [ast.Constant(reason)]):
                        yield node.name, reason


def test_every_timed_test_is_on_its_page(root: Path) -> None:
    tests = root / "tests"
    rows = [
        f"| `{path.relative_to(tests).as_posix()}::{name}` | {reason} |"
        for path in sorted(tests.glob("*/test_*.py"))
        for name, reason in timed_tests(path)
    ]
    assert "\n".join(rows) in (tests / "README.md").read_text(encoding="utf-8")
    assert len(first_cells(root, "Time")) == len(rows)


def test_every_room_and_helper_of_the_tests_is_on_their_page(root: Path) -> None:
    rooms = {path.name for path in (root / "tests").glob("[!_]*") if any(path.glob("[!_]*.*"))}
    assert sorted(first_cells(root, "Folders")) == sorted(f"{name}/" for name in rooms)
    helpers = sorted(path.stem for path in (root / "tests" / "helpers").glob("*.py"))
    assert first_cells(root, "Helpers") == helpers
