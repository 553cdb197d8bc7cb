"""The command with an evaluation of the user's own: as an engine, and its errors at start."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from helpers import command
from helpers.client import ENVIRONMENT, PYTHAGORAS

ROOT = Path(__file__).parents[2]
EXAMPLE = f"{ROOT}/uci/library/my_eval.py:evaluate"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]


def call(*words: str, said: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [*PYTHAGORAS, *words],
        input=said,
        text=True,
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
    )
    return done.returncode, done.stdout, done.stderr


def test_an_engine_with_it_says_so(warm: Path) -> None:
    code, out, error = call("--evaluate", EXAMPLE, said="uci\ngo depth 4\n")
    assert (code, error) == (0, "")
    assert re.search(r"^id name Pythagoras \S+ \(my_eval\.py:evaluate\)$", out, re.MULTILINE)
    assert "bestmove " in out


def test_a_task_with_it(warm: Path) -> None:
    code, plain, _ = call("go", "depth", "6")
    assert code == 0
    for words in (["--evaluate", EXAMPLE, "go"], ["go", "--evaluate", EXAMPLE]):
        code, own, _ = call(*words, "depth", "6")
        assert code == 0
        assert own.splitlines()[-1].startswith("bestmove ")
        assert own != plain


def test_an_analysis_with_it(warm: Path, tmp_path: Path) -> None:
    """It names the evaluation, its scores are other ones, and `verify` needs the evaluation."""
    (tmp_path / "game.pgn").write_text("1. e4 d5 2. exd5 *\n")
    path = tmp_path / "game.analysis.json"
    words = ["analyse", str(tmp_path / "game.pgn"), "--nodes", "200", "--jobs", "1", "--no-html"]
    found = []
    for evaluate in [], ["--evaluate", EXAMPLE]:
        code, _, error = call(*words, *evaluate, "--force")
        assert code == 0, error
        found.append(json.loads(path.read_text()))
    assert found[1]["engine"]["name"] == "Pythagoras (my_eval.py:evaluate)"
    assert found[1]["engine"]["network"] != found[0]["engine"]["network"]
    first, own = (each["games"][0]["positions"] for each in found)
    assert [each["fen"] for each in own] == [each["fen"] for each in first]
    assert all(one["lines"] != other["lines"] for one, other in zip(own, first, strict=True))
    code, _, error = call("verify", str(path))
    assert code == 3
    assert "another engine made it: name Pythagoras (my_eval.py:evaluate)" in error
    code, _, error = call("verify", str(path), "--evaluate", EXAMPLE, "--jobs", "1")
    assert code == 0, error
    assert "all equal" in error


def hold_error(error: str, shown: str, told: str) -> None:
    """Assert that an error shows the line of the user's file, and none of ours."""
    assert shown in error
    assert told in error.splitlines()[-1]
    assert error.splitlines()[-1].startswith("pythagoras: ")
    assert "own_evaluation.py" not in error


@pytest.mark.parametrize(
    ("content", "shown", "told"),
    [
        ("def f(:\n", "def f(:", "SyntaxError"),
        ("import nonsense_\n", "import nonsense_", "No module named 'nonsense_'"),
        ("g = 1\n", "", "has no function f"),
        ("f = 1\n", "", "not a Python function: 1"),
    ],
)
def test_an_error_of_the_file_is_shown_as_python_shows_it(
    content: str, shown: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.py"
    path.write_text(content)
    assert command.call("--evaluate", f"{path}:f") == 2
    hold_error(capfd.readouterr().err, shown, told)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("return 1 // side", "division"),
        ("return len(str(board.tolist()))", "Unknown attribute 'tolist'"),
    ],
)
def test_an_error_of_the_function_is_shown_as_python_shows_it(
    line: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.py"
    path.write_text(f"def f(board, by_type, by_colour, side):\n    {line}\n")
    code, out, error = call("--evaluate", f"{path}:f", said="uci\n")
    assert code == 2
    hold_error(error, line, told)
    assert out == "" or out.startswith("info string own.py")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--evaluate", "nothing.py:f"], "cannot read nothing.py: No such file"),
        (["--evaluate", "nothing.py"], "expected FILE.py:FUNCTION"),
        (["--evaluate", EXAMPLE, "perft", "1"], "--evaluate cannot be used with perft"),
        (
            ["analyse", "--evaluate", EXAMPLE, "--scheduler", "tcp://127.0.0.1:1", "x.pgn"],
            "--evaluate cannot be used with --scheduler",
        ),
    ],
)
def test_what_cannot_be_used_is_told(
    words: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command.call(*words) == 2
    assert told in capfd.readouterr().err
