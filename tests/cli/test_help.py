"""The help of each command is short, and shows an example that the command understands."""

import argparse
import shlex
from pathlib import Path

import pytest

from helpers.client import run
from uci.cli.parser import argument_parser

COLUMNS, LINES = 80, 40


def tasks() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command by name, and the main parser under an empty name."""
    parser = argument_parser()
    (action,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return {"": parser, **action.choices}


@pytest.mark.parametrize("name", tasks())
def test_help_is_short(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    lines = tasks()[name].format_help().splitlines()
    assert len(lines) < LINES + 1
    assert max(map(len, lines)) <= COLUMNS
    for action in tasks()[name]._actions:
        assert action.help or action.dest == "task", f"{action.dest} is not explained"


@pytest.mark.parametrize("name", tasks())
def test_help_shows_an_example(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    last = tasks()[name].format_help().splitlines()[-1]
    start = f"example: pythagoras {name}".rstrip()
    assert last.startswith(start)
    words = shlex.split(last.removeprefix("example: pythagoras"))
    assert argument_parser().parse_args(words).task == (name or words[0])


def test_help_of_a_process(root: Path) -> None:
    done = run(root, "doctor", "--help", COLUMNS=str(COLUMNS))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "usage: pythagoras doctor [-h] [--cold] [--json [FILE]] [--force]\n"
    )
    assert done.stdout == run(root, "doctor", "-h", COLUMNS=str(COLUMNS)).stdout


def test_a_mistake_shows_the_usage(root: Path) -> None:
    done = run(root, "perft", "--divided", "3")
    assert done.returncode == 2
    assert "usage: pythagoras " in done.stderr
    assert "unrecognized arguments: --divided" in done.stderr
