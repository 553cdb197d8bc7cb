"""The pages agree with the engine's options and the folders of tests."""

import re
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
    page = (root / "uci" / "README.md").read_text(encoding="utf-8")
    _, table = page.split("| option | values | default | meaning |\n| --- | --- | --- | --- |\n")
    assert table.split("\n\n")[0].splitlines() == [*map(row, OPTIONS)]


def test_every_folder_of_the_tests_is_on_their_page(root: Path) -> None:
    page = (root / "tests" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    folders = {path.name for path in (root / "tests").glob("[!_]*") if any(path.glob("[!_]*.*"))}
    assert sorted(listed) == sorted(folders)
