"""The workflows of GitHub: what they run, and that no test is skipped for a missing tool."""

import re
import tomllib
from pathlib import Path

import pytest

from helpers import fake_managers


def workflow(root: Path) -> str:
    return (root / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_the_oldest_versions_are_those_that_are_promised(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [re.match(r"(\w+)>=([\d.]+)", each) for each in project["dependencies"]]
    pins = [f'"{need[1]}=={need[2]}.*"' for need in needs if need]
    assert len(pins) == len(project["dependencies"]) > 2
    assert f'--editable ".[dev]" {" ".join(pins)}\n' in workflow(root)


def test_every_promised_python_is_tried(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = [each.rsplit(" ", 1)[1] for each in project["classifiers"] if " :: 3." in each]
    listed = ", ".join(f'"{version}"' for version in versions)
    assert workflow(root).count(f"python: [{listed}]\n") == 2


def test_a_required_tool_is_not_skipped(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_managers, "find_engine", lambda name: None)
    monkeypatch.delenv("PYTHAGORAS_REQUIRE_FASTCHESS", raising=False)
    assert fake_managers.needs("fastchess").args == (True,)
    monkeypatch.setenv("PYTHAGORAS_REQUIRE_FASTCHESS", "1")
    assert fake_managers.needs("fastchess").args == (False,)
    assert fake_managers.needs("cutechess-cli").args == (True,)
    for name in ("STOCKFISH", "FASTCHESS"):
        assert f"PYTHAGORAS_REQUIRE_{name}: 1\n" in workflow(root)
