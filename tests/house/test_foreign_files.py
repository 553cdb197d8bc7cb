"""House rules: code that reads a file never executes it."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for room in ("engine", "uci", "scripts") for path in (ROOT / room).rglob("*.py")]

RUNNING = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "joblib", "dbm"}
"""Python modules whose loading functions may execute the loaded data."""

CALLS = {"eval", "exec", "compile", "__import__"}

CACHE = {"engine/jit/stored_code.py", "engine/jit/kernel.py"}
"""Modules that load our compiled code, from a folder that no other user can write to."""

OWN_SOURCES = {"engine/lab/watching.py"}
"""Modules that compile the source of one of our imported modules, with calls inserted."""


def uses(path: Path) -> Iterator[str]:
    """Yield the functions that execute code and are used by a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names):
                yield from (a.name for a in names if a.name.partition(".")[0] in RUNNING)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in RUNNING:
                yield module
            case ast.Call(ast.Name(name)) if name in CALLS:
                yield name
            case ast.Call(ast.Attribute(attr="load"), _, words) if any(
                word.arg == "allow_pickle" and getattr(word.value, "value", None) is not False
                for word in words
            ):
                yield "allow_pickle"
            case ast.Attribute(ast.Name("yaml"), name) if not name.startswith("safe_"):
                yield name
            case ast.Call(ast.Attribute(ast.Name("os"), "system" | "popen" as name)):
                yield name


def test_only_the_cache_is_run() -> None:
    """Only the cache is executed; networks, books, tables, games and checkpoints are parsed."""
    found = {path.relative_to(ROOT).as_posix(): set(uses(path)) for path in SOURCES}
    assert {name for name, used in found.items() if used} == CACHE | OWN_SOURCES
    assert set().union(*(found[name] for name in CACHE)) == {"pickle"}
    assert set().union(*(found[name] for name in OWN_SOURCES)) == {"compile"}


def test_the_rule_sees_what_it_forbids(tmp_path: Path) -> None:
    lines = (
        "import pickle", "from marshal import loads", "yaml.load(text, Loader)",
        "eval('1')", "exec('1')",
        "np.load(path, allow_pickle=True)", "os.system('true')",
    )  # fmt: skip
    for line in lines:
        (tmp_path / "module.py").write_text(line)
        assert list(uses(tmp_path / "module.py")), line
    (tmp_path / "module.py").write_text("np.load(path, allow_pickle=False)\nyaml.safe_load(text)")
    assert not list(uses(tmp_path / "module.py"))
