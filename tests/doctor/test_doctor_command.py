"""``pythagoras doctor``: what it prints, on any terminal, as JSON, and its exit status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import uci
from engine.jit import cache
from engine.jit.kernel import COMPILED
from helpers.client import PYTHAGORAS, run
from uci.apps.doctor.check import Result
from uci.apps.doctor.formatting import format_result

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="there is no numba"),
]


def test_what_it_prints(warm: Path, before: dict[str, Result]) -> None:
    done = run(warm, "doctor")
    assert (done.returncode, done.stderr) == (0, "")
    *checks, verdict, line = done.stdout.splitlines()
    assert [name for name in before if not any(row[6:].startswith(name) for row in checks)] == []
    assert verdict.startswith("Installation OK")
    for part in (f"Pythagoras {uci.__version__}", "numba 0.", "numpy ", "chess 1.", " of perft's"):
        assert part in line
    assert line.endswith("wrong: nothing") or "wrong: nothing; notes: " in line


def test_json_and_the_exit_status(root: Path, before: dict[str, Result], tmp_path: Path) -> None:
    """JSON and exit status are right, even if the package rich is broken."""
    (tmp_path / "rich.py").write_text("raise ImportError('rich is cut short')\n")
    words = ["doctor", "--json", "--option", f"Book File={tmp_path / 'none'}"]
    settings = dict.fromkeys(("PYTHONPATH", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(tmp_path))
    done = run(root, *words, **settings)
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    assert not document["sound"]
    assert [check["name"] for check in document["checks"]] == [*before, "Book File"]
    for check in document["checks"]:
        assert check.keys() == {"name", "status", "found", "wanted", "mend"}
        assert check["found"]
        assert check["wanted"]
        assert bool(check["mend"]) == (check["status"] in ("wrong", "note"))
    wrong = [check["name"] for check in document["checks"] if check["status"] == "wrong"]
    assert wrong == ["extras", "Book File"]
    assert "wrong: extras, Book File" in document["line"]
    for place in (tmp_path, root, Path.home(), Path(sys.prefix)):
        assert str(place) not in document["line"]
    assert os.path.sep + "tmp" not in document["line"]


def test_a_reader_that_has_enough(warm: Path) -> None:
    with subprocess.Popen(
        [*PYTHAGORAS, "doctor"], cwd=warm, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith("ok    Python")
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.parametrize("columns", [1, 60, 80, 200])
def test_long_texts_are_folded(columns: int) -> None:
    text = " ".join(["word"] * 40)
    rows = format_result(Result("Debug Log File", "wrong", text, text, text), columns).split("\n")
    assert max(map(len, rows)) <= min(max(columns, 40), 120)
    assert rows[0].startswith("WRONG Debug Log File word ")
    assert " ".join(rows).count("word") == 120
    assert sum(row.strip().startswith("> ") for row in rows) == 1


@pytest.mark.parametrize("option", ["Hash", "=x"])
def test_options_without_a_name_or_a_value(root: Path, option: str) -> None:
    done = run(root, "doctor", "--option", option)
    assert done.returncode == 2
    assert "NAME=VALUE" in done.stderr


@pytest.mark.long
def test_cold(warm: Path) -> None:
    """``--cold`` compiles in a temporary folder, and leaves no file there or in the home folder."""
    kept = sorted(cache.open_folder().iterdir())
    done = run(warm, "doctor", "--cold")
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [row for row in done.stdout.splitlines() if row[6:].startswith("cold start")]
    assert row.startswith("ok")
    assert "compiled in" in row
    assert sorted(cache.open_folder().iterdir()) == kept
