"""`pythagoras pv-lab --show`: its options, its errors and its output."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from helpers import command
from scripts.measure.shows import EXAMPLES
from uci.apps.lab.show.command import request_of
from uci.cli.parser import argument_parser

pytest.importorskip("jinja2")

FEN = "8/8/8/8/8/2k5/7p/K6R w - - 0 1"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: object) -> int:
    return command.call("pv-lab", *words)


@pytest.mark.slow
def test_a_page_is_written_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--show", "--fen", FEN) == 0
    assert capsys.readouterr().out == "pv-show.html\n"
    page = (here / "pv-show.html").read_text(encoding="utf-8")
    assert "<title>PVS, its PV collected by triangular</title>" in page
    assert "The compiled code found the same" in page
    assert call("--show", "--fen", FEN) == 2
    assert "pv-show.html already exists; use --force to replace it" in capsys.readouterr().err
    words = ("--search", "minimax", "--collector", "none", "--depth", 1, "--force")
    assert call("--show", "--fen", FEN, *words) == 0
    page = (here / "pv-show.html").read_text(encoding="utf-8")
    assert "<title>minimax, its PV collected by none</title>" in page
    assert call("--show", "--fen", FEN, "-o", "-") == 2
    assert (
        "-: expected a file name; standard output is not supported here" in capsys.readouterr().err
    )
    assert call("--show", "--fen", FEN, "-o", here / "no" / "folder.html") == 2
    (said,) = capsys.readouterr().err.splitlines()[-1:]
    assert said.startswith("pythagoras: ")
    assert said.endswith(": the folder does not exist")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--fen", FEN), "--fen cannot be used in this mode"),
        (("-o", "x.html"), "--output cannot be used in this mode"),
        (("--bug", "no-clear"), "--bug cannot be used in this mode"),
        (("--show", "--json"), "--json cannot be used with --show"),
        (("--show", "--fen", "nonsense"), "illegal FEN"),
        (
            ("--show", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
            "the side to move has no legal moves: 7k/5Q2",
        ),
        (
            ("--show", "--collector", "circle"),
            "unknown collector circle: expected one of none; triangular;",
        ),
        (("--show", "--compare", "circle"), "unknown collector circle"),
        (("--show", "--collector", "none", "--bug", "no-clear"), "none does not clear rows"),
        (("--show", "--bug", "small-table"), "requires a table"),
        (("--show", "--collector", "line", "--bug", "no-clear"), "line: the contents of a buffer"),
    ],
)
def test_what_is_refused(
    words: tuple[str, ...], reason: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line
    assert list(here.iterdir()) == []


def test_without_jinja2(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert call("--show", "--fen", FEN) == 2
    assert "no HTML report: jinja2 is missing; install it with: " in capsys.readouterr().err


def test_help_is_short(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        call("--help")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 28
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith("example: pythagoras pv-lab --show")


def test_the_examples_of_the_collectors_page(root: Path) -> None:
    """The page's options are those with which its examples are made."""
    page = (root / "engine" / "lab" / "collectors" / "README.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"^\| ([a-z-]+) \| .* \| `(--fen .*)` \|$", page, re.MULTILINE))
    arguments = argument_parser()
    told = {
        name: request_of(arguments.parse_args(["pv-lab", "--show", *shlex.split(words)]))
        for name, words in found.items()
    }
    assert told == EXAMPLES
