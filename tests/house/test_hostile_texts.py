"""Every regular expression of ours takes linear time, whatever its text."""

import ast
import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.hostile import SIZE, USES, finishes, worst_text

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="a limit of processor time needs its signal"),
    pytest.mark.slow,
]


def modules() -> dict[str, ast.Module]:
    """Return the modules that use `re`, by name."""
    found = {}
    for path in sorted((ROOT / "uci").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "import re\n" in text:
            found[name] = ast.parse(text)
    return found


MODULES = modules()


def patterns() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Yield the name, pattern and use of each regular expression, named or within a call."""
    uses: dict[str, set[str]] = {}
    for tree in MODULES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in USES:
                place = node.value.value if isinstance(node.value, ast.Subscript) else node.value
                if isinstance(place, ast.Name):
                    uses.setdefault(place.id, set()).add(node.attr)
    for module, tree in MODULES.items():
        names = vars(importlib.import_module(module))
        for name, value in list(names.items()):
            several = value.values() if isinstance(value, dict) else [value]
            for number, each in enumerate(several):
                if isinstance(each, re.Pattern) and isinstance(each.pattern, str):
                    for use in sorted(uses.get(name, {"match"})):
                        yield f"{module}.{name}-{number}-{use}", each, use
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Attribute(ast.Name("re"), use), [first, *_]) if use in USES:
                    code = compile(ast.Expression(first), module, "eval")
                    text = eval(code, dict(names))  # noqa: S307
                    yield f"{module}:{node.lineno}-{use}", re.compile(text), use


ALL = {name: (pattern, use) for name, pattern, use in patterns()}


def test_every_expression_takes_linear_time() -> None:
    assert len(ALL) > 50
    quoted = {f"uci.apps.games.epd_line._QUOTED-{number}-match" for number in (0, 6)}
    assert {"uci.apps.games.pgn_words.WORD-0-finditer", *quoted} <= {*ALL}
    for name, (pattern, use) in ALL.items():
        text = worst_text(pattern, USES[use])
        assert len(text) > SIZE / 2, name
        assert finishes(lambda: USES[use](pattern, text)), f"{name}: {text[:60]}"  # noqa: B023


def test_slow_expressions_are_found() -> None:
    slow = [
        (r"(?:(?:(?:; )?(?:White|Black): [^;]*? \?\?)+\. ?)+", "match"),
        (r"[-+]?\d*\.?\d*\s*", "fullmatch"),
        (r"(a+)+b", "match"),
    ]
    for expression, use in slow:
        pattern = re.compile(expression)
        text = worst_text(pattern, USES[use])
        assert not finishes(lambda: USES[use](pattern, text), 0.5), expression  # noqa: B023
