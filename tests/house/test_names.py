"""Names are unique, so that a search for one finds one thing."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [path for room in ("engine", "uci") for path in sorted((ROOT / room).rglob("*.py"))]


def test_no_two_modules_share_a_name() -> None:
    """Module names are unique, except packages and the `command` of each command's folder."""
    places = defaultdict(list)
    for path in FILES:
        if path.stem not in ("__init__", "__main__", "command") and path.parent.name != "cluster":
            places[path.stem].append(str(path.relative_to(ROOT)))
    assert {name: twins for name, twins in places.items() if len(twins) > 1} == {}


def test_no_two_classes_share_a_name() -> None:
    """Names of classes and type aliases are unique."""
    places = defaultdict(list)
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for name in defined(node):
                if name.lstrip("_")[:1].isupper() and not name.isupper():
                    places[name].append(str(path.relative_to(ROOT)))
    assert {name: twins for name, twins in places.items() if len(twins) > 1} == {}


def defined(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module gives to classes and types."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
