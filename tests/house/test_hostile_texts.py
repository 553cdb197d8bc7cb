"""Every regular expression of ours takes linear time, whatever text it sees."""

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


SYSTEM = {"uci.apps.doctor.check_machine"}
"""They read what the operating system writes."""


def modules() -> dict[str, ast.Module]:
    """Return the modules at the edge that use `re`, by name."""
    found = {}
    for path in sorted((ROOT / "uci").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "import re\n" in text and name not in SYSTEM:
            found[name] = ast.parse(text)
    return found


MODULES = modules()


def patterns() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Yield names, patterns, and how each is used: those with names, and those within calls."""
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


def test_there_are_many() -> None:
    assert len(ALL) > 50
    assert "uci.apps.games.pgn_words.WORD-0-finditer" in ALL
    assert {"uci.apps.epd.epd_line._QUOTED-0-match", "uci.apps.epd.epd_line._QUOTED-6-match"} <= {
        *ALL
    }


@pytest.mark.parametrize("name", ALL)
def test_expressions_take_linear_time(name: str) -> None:
    pattern, use = ALL[name]
    text = worst_text(pattern, USES[use])
    assert len(text) > SIZE / 2
    assert finishes(lambda: USES[use](pattern, text)), text[:60]


SLOW = [
    (r"(?:(?:(?:; )?(?:White|Black): [^;]*? \?\?)+\. ?)+", "match"),
    (r"[-+]?\d*\.?\d*\s*", "fullmatch"),
    (r"(a+)+b", "match"),
]


@pytest.mark.parametrize(("pattern", "use"), SLOW)
def test_slow_expressions_are_found(pattern: str, use: str) -> None:
    compiled = re.compile(pattern)
    text = worst_text(compiled, USES[use])
    assert not finishes(lambda: USES[use](compiled, text))
