"""Tables on a terminal: no number is split, however narrow the terminal is."""

import io
from importlib import util

import pytest

from uci.apps.console import terminal

pytestmark = pytest.mark.skipif(not util.find_spec("rich"), reason="no rich")

HEADINGS = "search", "collector", "whole", "length", "as table", "nodes", "time", "bytes"
ROWS = [
    ("PVS", "none", "", "", "", "112,498,499", "1.000", ""),
    ("PVS", "triangular, incremental", "100%", "5.00", "100%", "12,426,144", "-1.012", "17,536"),
    ("fail-hard", "a_word_that_is_long", "0%", "5.00", "100%", "426,144", "1.042", "1,442,856"),
]


@pytest.mark.parametrize("columns", [200, 90, 80, 60, 40, 20])
def test_numbers_are_whole(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=columns, force_terminal=True, color_system=None)
    monkeypatch.setattr(terminal, "console_on", lambda _: console)
    terminal.print_table("a title", HEADINGS, ROWS)
    shown = out.getvalue()
    words = shown.split()
    for row in ROWS:
        for cell in row[2:]:
            assert not cell or cell in words
    for text in ("none", "PVS", "fail-hard", "search", "triangular,", "incremental"):
        assert text in words
    head = next(line for line in shown.splitlines() if "nodes" in line)
    assert head.split()[-3:] == [*HEADINGS[-3:]]
    if columns >= 80:
        assert max(map(len, shown.splitlines())) <= columns
