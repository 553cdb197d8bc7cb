"""Private parts of numba: if one is missing, the public interface is used and reported."""

import ast
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.jit import kernel
from engine.jit.kernel import COMPILED, EntryPoints
from helpers.processes import environment, result, run, start
from uci.session.bench import bench

pytestmark = pytest.mark.skipif(not COMPILED, reason="there is no numba")

LOANS = kernel._ACCELERATORS


def borrowed() -> Iterator[Any]:
    """Yield our imports of numba's private parts: our module, numba's, and the name."""
    for loan in LOANS:
        source = Path(kernel.__file__).with_name(f"{loan}.py").read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba."):
                for each in node.names:
                    name = f"{node.module}.{each.name}"
                    if name not in sys.modules:  # modules already loaded are found anyway
                        yield pytest.param(loan, node.module, each.name, id=f"{loan}-{name}")
    for loan, module, name in (
        ("typing_memory", "numba.core.typing.context.BaseContext", "resolve_function_type"),
        ("typing_memory", "numba.core.event", "start_event"),
        ("stored_code", "numba.core.compiler.CompileResult", "_rebuild"),
        ("passes", "numba.np.arrayobj", "fix_integer_index"),
        ("passes", "numba.core.codegen", "JITCodeLibrary"),
    ):
        yield pytest.param(loan, module, name, id=f"{loan}-{module}.{name}")


def find(path: str) -> Any:
    """Return the module, or the class in one, with a dotted path."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(find(module), name)


def borrow(
    monkeypatch: pytest.MonkeyPatch, hidden: tuple[Any, str] | None = None, version: str = ""
) -> list[str]:
    """Import `engine.jit.kernel` with a name of numba hidden; return the reported reason."""
    monkeypatch.setattr(kernel, "_lacking", [])
    with monkeypatch.context() as patch:
        for name in ("plain_indices", "vectors", *LOANS):
            patch.delitem(sys.modules, f"engine.jit.{name}", raising=False)
        if hidden:
            patch.delattr(*hidden)
        if version:
            patch.setattr("numba.__version__", version)
        found = {loan: kernel._accelerated(loan) for loan in LOANS}
    for loan, module in found.items():
        monkeypatch.setattr(kernel, f"_{loan}", module)
    return [loan for loan, module in found.items() if module is None]


def check_tiny_kernels(number: int) -> None:
    """Compile an entry point that calls a kernel, and load its code again."""
    for loaded in (0, 1):
        points = EntryPoints(lambda: "tiny")

        def double(x: Any) -> Any:
            return x + x

        globals()["tiny_double"] = kernel.kernel(double)

        def double_and_add(x: Any) -> Any:
            return tiny_double(x) + 2  # type: ignore[name-defined] # noqa: F821

        entry = points.entry("int64")(double_and_add)
        points.warm()
        assert entry(number) == 2 * number + 2
        assert sum(entry.stats.cache_hits.values()) == loaded
        assert tiny_double(number) == 2 * number  # type: ignore[name-defined] # noqa: F821


@pytest.mark.slow
@pytest.mark.parametrize(("loan", "module", "name"), list(borrowed()))
def test_each_is_missed_alone(
    loan: str, module: str, name: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = borrow(monkeypatch, (find(module), name))
    assert loan in lacking
    needed = [each.values[0] for each in borrowed() if each.values[1:] == (module, name)]
    assert lacking == [each for each in LOANS if each in needed]
    assert name in kernel.slower()
    check_tiny_kernels(20)


def test_a_version_that_was_tried_lacks_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert borrow(monkeypatch) == []
    assert kernel.slower() == ""
    check_tiny_kernels(20)
    assert [path.suffix for path in home.rglob("tiny*/*test_numba*")] == [".code"]


def test_an_unknown_version_is_used_as_anybody_uses_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert borrow(monkeypatch, version="0.99.0") == list(LOANS)
    assert "the engine was not tested with it" in kernel.slower()
    check_tiny_kernels(20)
    kept = [path for path in home.rglob("*") if path.suffix in (".nbi", ".nbc")]
    assert len(kept) == 2, "numba keeps an index and the code"
    assert {path.parents[2].parent.parent for path in kept} == {home}
    for path in kept:  # cut short by a power failure
        path.write_bytes(path.read_bytes()[:100])
    check_tiny_kernels(20)


def test_a_broken_numba_is_told(root: Path, tmp_path: Path) -> None:
    """A broken numba is an error, not treated as missing, which would be 1,000 times slower."""
    (tmp_path / "numba.py").write_text("raise ImportError('numba needs another numpy')")
    told = run(
        root,
        "from uci.session.loader import Loader\nloader = Loader()\nloader.listen(print)\n"
        "loader.start()\nloader.done.wait()\nprint(loader.backend)",
        environment(tmp_path, PYTHONPATH=str(tmp_path)),
    )
    assert told.splitlines() == [
        "engine failed to load; using the slow fallback search:"
        " ImportError: numba needs another numpy",
        "None",
    ]


@pytest.mark.long
def test_the_whole_engine_with_an_unknown_version(root: Path, tmp_path: Path) -> None:
    """With an unknown version it compiles once, with a notice, and searches the same tree."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, types\n"
        "version = sys.modules['numba._version'] = types.ModuleType('numba._version')\n"
        "version.get_versions = lambda: dict(version='0.99.0')\n"
    )
    code = """if True:
        import json
        from uci.session.backend import load
        told = []
        *_, last = load(told.append).bench(6, 1, lambda: False)
        print(json.dumps([told, last]))
    """
    *_, expected = bench(6, 1, lambda: False)
    settings = environment(tmp_path, PYTHONPATH=str(tmp_path))
    for notices in (2, 0):
        told, last = json.loads(result(start(root, code, settings)))
        assert last.split()[0] == expected.split()[0]
        assert len(told) == notices
        assert "numba 0.99.0" in "".join(told) or not notices
