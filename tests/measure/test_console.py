"""Tables: each row is one line at any width, and missing values are named."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.console import print_table, track
from uci.apps.console.extras import missing


def test_a_row_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["", "one", "[two]"], [["a [b] c", "1" * 60, "2" * 60], ["d", "3", "4"]])
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["one", "[two]"]
    assert first.split() == ["a", "[b]", "c", "1" * 60, "2" * 60]
    assert second.split() == ["d", "3", "4"]
    assert first.rstrip().rindex("2") == second.rstrip().rindex("4")


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track(range(3), "numbers")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_without_rich(root: Path) -> None:
    code = "import sys; sys.modules['rich'] = None; import scripts.measure.budgets"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == missing("rich", "tools") + "\n"
