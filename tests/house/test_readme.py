"""The pages tell what the engine has."""

from pathlib import Path

from uci.protocol import options


def test_the_table_of_options(root: Path) -> None:
    assert options.options_table() in (root / "uci" / "README.md").read_text(encoding="utf-8")


def test_every_module_of_uci_is_on_its_page(root: Path) -> None:
    lines = (root / "uci" / "README.md").read_text(encoding="utf-8").splitlines()
    tables, room = set(), ""
    for line in lines[: lines.index("## Options")]:
        match line.split("`"):
            case ["| ", name, *_] if name.endswith("/"):
                room = name
            case ["| ", name, *_]:
                tables.add(f"{room}{name}.py")
    files = {path.relative_to(root / "uci").as_posix() for path in (root / "uci").glob("*/*.py")}
    assert tables == {name for name in files if not name.endswith("__init__.py")}
