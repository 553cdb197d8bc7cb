"""The README tells what the engine has."""

from pathlib import Path

from uci.protocol import options


def test_the_table_of_options(root: Path) -> None:
    assert options.options_table() in (root / "README.md").read_text(encoding="utf-8")
