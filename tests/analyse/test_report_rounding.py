"""Numbers are rounded alike by Python and by the report's script."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from chess.engine import Cp, Mate, Score

from uci.apps.analyse.lichess import win_percent
from uci.apps.analyse.report.first_game import score_for_people
from uci.apps.console.rounding import half_up, rounded

VALUES = [84.5, 85.5, 84.49, 0.0, 0.5, 99.99, 100.0, -0.04, 0.25, 0.75, 12.04]


def in_node(root: Path, names: list[str], expression: str) -> Any:
    """Return the value of a JavaScript ``expression`` that uses the report script's functions."""
    if shutil.which("node") is None:
        pytest.skip("no node on the PATH")
    script = (root / "uci" / "apps" / "analyse" / "report" / "page.js").read_text(encoding="utf-8")
    found = [re.search(rf"  function {name}\(.*?\n  }}", script, re.DOTALL) for name in names]
    code = "".join(each[0] for each in found if each)
    command = ["node", "-e", f"{code}\nconsole.log(JSON.stringify({expression}))"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def test_halves_go_up() -> None:
    assert [half_up(value) for value in (84.5, 85.5, 84.49, 0.5)] == [85, 86, 84, 1]
    assert [rounded(value, 1) for value in (0.25, 0.75, -0.04)] == ["0.3", "0.8", "0.0"]


@pytest.mark.parametrize("digits", [0, 1])
def test_the_script_rounds_as_python_does(digits: int, root: Path) -> None:
    found = in_node(root, ["rounded"], f"{VALUES}.map((value) => rounded(value, {digits}))")
    assert found == [rounded(value, digits) for value in VALUES]


def test_the_script_shows_scores_as_python_does(root: Path) -> None:
    scores = {"0": "0.00", "125": "+1.25", "-30": "−0.30", "-1": "−0.01", "#3": "#3", "#-3": "#-3",
              "#0": "#", "#-0": "#"}  # fmt: skip
    assert {score: score_for_people(score) for score in scores} == scores
    found = in_node(root, ["show"], f"{json.dumps(list(scores))}.map(show)")
    assert found == list(scores.values())


def test_the_script_has_the_chances_of_the_document(root: Path) -> None:
    scores: dict[str, Score] = {str(value): Cp(value) for value in range(-1001, 1002, 7)}
    scores |= {"#3": Mate(3), "#-3": Mate(-3), "#-0": Mate(0)}
    found = in_node(root, ["win"], f"{json.dumps(list(scores))}.map(win)")
    assert found == [round(win_percent(score), 2) for score in scores.values()]
