"""House rules: imports point one way, and some things are done in one place only."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# From the bottom up: a module may import from its own layer and from those above it in this list.
LAYERS = (
    "engine.cores",
    "engine.file_lock",
    "engine.files",
    "engine.user_folders",
    "engine.jit.cache",
    "engine.jit.background",
    "engine.jit.numba_cache",
    "engine.jit.gc_pauses",
    "engine.jit.typing_memory",
    "engine.jit.plain_indices",
    "engine.jit.vectors",
    "engine.jit.passes",
    "engine.jit.stored_code",
    "engine.jit.kernel",
    "engine.jit.intrinsics",
    "engine.memory.available",
    "engine.memory.large_pages",
    "engine.memory.records",
    "engine.memory.stop_signal",
    "engine.board",
    "engine.evaluation",
    "engine.syzygy",
    "engine.search",
    "engine.datagen",
    "engine.custom",
    "engine.lab",
    "uci.errors",
    "uci.strength",
    "uci.protocol",
    "uci.chess_io",
    "uci.session",
    "uci.library",
    "uci.apps.console",
    "uci.apps.games",
    "uci.apps.engines",
    "uci.cluster",
    "uci.apps",  # the commands, of which none imports another
    "uci.cli",
    "uci.__main__",
    "uci.library.pythagoras.__main__",
    "scripts.console",
    "scripts.patience",
    "scripts.changed_tests",
    "scripts.match",
    "scripts.measure",
    "scripts.training",
    "scripts.data",
    "scripts.release",
    "scripts.reliability",
    "scripts.clients",
)
SHARED = {"console", "games", "engines"}
"""Packages that the commands of ``uci/apps`` share."""

PARSER = "uci.cli.parser"
"""The module that adds each command."""

POSIX_ONLY = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
WINDOWS_ONLY = {"msvcrt", "winreg", "winsound"}
CLOCKS = {"time", "datetime", "timeit"}
DECORATORS = {"kernel", "entry"}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name_of(path): path
    for package in ("engine", "uci", "scripts")
    for path in sorted((ROOT / package).rglob("*.py"))
}
ENGINE = [name for name in MODULES if name.split(".")[0] == "engine"]
INSTALLED = [name for name in MODULES if name.split(".")[0] != "scripts"]


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imports(module: str, tree: ast.AST) -> Iterator[str]:
    """Yield everything that ``tree`` imports, in functions too, as absolute dotted names."""
    is_package = any(name.startswith(module + ".") for name in MODULES)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = module.split(".")
            base = base[: len(base) - node.level + is_package] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{source}.{alias.name}" for alias in node.names)


def our_imports(module: str) -> set[str]:
    """Return our own modules that ``module`` imports, in functions and for types too."""
    found = set()
    for name in imports(module, parsed(module)):
        while name and name not in MODULES:
            name = name.rpartition(".")[0]
        found.add(name)
    return found - {"", module}


def layer(name: str) -> int | None:
    """Return the layer of a module, by its longest prefix in the list; None for a package."""
    tops = [top for top in LAYERS if name == top or name.startswith(top + ".")]
    return LAYERS.index(max(tops, key=len)) if tops else None


def test_imports_point_one_way() -> None:
    for module in MODULES:
        height = layer(module)
        if height is None:
            assert (ROOT / module.replace(".", "/")).is_dir(), f"{module} is in no layer"
            assert not our_imports(module), f"{module} is a mere package, which imports nothing"
        else:
            above = [name for name in our_imports(module) if (layer(name) or 0) > height]
            assert not above, f"{module} imports {above} from above"


def command_of(module: str) -> str | None:
    """Return the command whose folder contains a module."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["uci", "apps"] and {*parts[2:3]} - SHARED else None


def test_no_command_imports_another() -> None:
    pairs = {
        (command_of(module), command_of(name)) for module in MODULES for name in our_imports(module)
    }
    between = {(user, used) for user, used in pairs if user and used and user != used}
    assert not between


def test_only_its_commands_load_the_laboratory() -> None:
    """Only the laboratory's commands import it, and only the command line imports these."""
    users = {
        part: {
            module.rpartition(".")[0]
            for module in INSTALLED
            if any(f"{name}.".startswith(f"{part}.") for name in our_imports(module))
            and not module.startswith(part)
        }
        for part in ("engine.lab", "uci.apps.lab")
    }
    laboratory = {"uci.apps.lab", "uci.apps.lab.show"}
    assert users == {"engine.lab": laboratory, "uci.apps.lab": {"uci.cli"}}


def test_the_folders_are_few() -> None:
    """The parts of ``uci/`` are few; in ``uci/apps/`` is one for each command, and the shared."""

    def entries(folder: str) -> set[str]:
        """Return the modules and packages of a folder, without README.md and __init__.py."""
        found = {path.stem for path in (ROOT / folder).iterdir() if path.suffix in ("", ".py")}
        return {name for name in found if not name.startswith((".", "__"))}

    former_names = {"cluster"}
    assert len(entries("uci") - former_names) <= 8
    commands = {name for name in entries("uci/apps") if f"uci.apps.{name}.command" in MODULES}
    assert entries("uci/apps") - commands == SHARED
    assert not [name for name in commands if f"uci.apps.{name}.command" not in our_imports(PARSER)]


def test_imports_go_in_no_circle() -> None:
    graph = {module: our_imports(module) for module in MODULES}
    assert len([*TopologicalSorter(graph).static_order()]) == len(MODULES)  # or `CycleError`


def test_modules_that_are_named_in_strings_exist() -> None:
    """Module names in strings exist, such as those that the loader imports before a search."""
    named = {
        node.value
        for module in MODULES
        for node in ast.walk(parsed(module))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"(engine|uci|scripts)(\.\w+)+", node.value)
    }
    assert "uci.session.go" in named
    assert named <= MODULES.keys()


def test_the_engine_imports_nothing_of_the_edge_and_never_prints() -> None:
    for module in ENGINE:
        tops = {name.split(".")[0] for name in imports(module, parsed(module))}
        assert not tops & {"chess", "uci"}, module
        for node in ast.walk(parsed(module)):
            assert not (isinstance(node, ast.Name) and node.id == "print"), module
            streams = {"stdout", "stderr"}
            assert not (isinstance(node, ast.Attribute) and node.attr in streams), module


def test_one_file_decorates() -> None:
    compilers = {"njit", "jit", "jitclass", "vectorize", "guvectorize", "cfunc", "generated_jit"}
    private = "intrinsics", "typing_memory", "stored_code", "plain_indices", "vectors"
    for module in INSTALLED:
        used = {name for name in imports(module, parsed(module)) if name.split(".")[0] == "numba"}
        named = {node.attr for node in ast.walk(parsed(module)) if isinstance(node, ast.Attribute)}
        found = named | {name.rsplit(".")[-1] for name in used}
        if module in {"engine.jit.kernel", "engine.jit.passes"}:
            assert "njit" in found, module
            continue
        assert not found & compilers, module
        if used:
            assert module in {f"engine.jit.{name}" for name in private}, f"{module} imports numba"


def is_compiled(tree: ast.AST) -> bool:
    decorators = (
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    )
    return any(
        getattr(decorator, "id", getattr(decorator, "attr", "")) in DECORATORS
        for decorator in decorators
    )


def test_compiled_files_read_no_clock() -> None:
    compiled = [name for name in ENGINE if is_compiled(parsed(name))]
    assert "engine.board.makemove" in compiled
    for module in compiled:
        names = set(imports(module, parsed(module)))
        assert not {name.split(".")[0] for name in names} & CLOCKS, module
        assert "engine.jit.kernel.clock" not in names, module


def test_what_some_systems_lack_is_imported_under_a_guard() -> None:
    def walk(module: str, node: ast.AST, guarded: bool) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {name.split(".")[0] for name in imports(module, ast.Module([node], []))}
            assert guarded or not names & (POSIX_ONLY | WINDOWS_ONLY), f"{module}: {names}"
        for child in ast.iter_child_nodes(node):
            walk(module, child, guarded or isinstance(node, ast.If | ast.Try))

    for module in INSTALLED:
        walk(module, parsed(module), guarded=False)


def test_pure_modules_do_not_load_numba() -> None:
    pure = "engine.board.types", "engine.jit.cache", "engine.search.limits", "engine.search.score"
    code = f"import sys, {', '.join(pure)}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
