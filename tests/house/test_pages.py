"""Names in pages and docstrings exist: files, modules, targets of make, headings."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("engine", "uci", "scripts", "tests")
PAGES = sorted(
    {*ROOT.glob("*.md")}.union(*((ROOT / place).rglob("*.md") for place in (".github", *ROOMS)))
)
SOURCES = sorted(path for room in ROOMS[:-1] for path in (ROOT / room).rglob("*.py"))
MODULES = [path for path in (ROOT / "engine").rglob("*.py") if path.stem != "__init__"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE))

FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MAKE = re.compile(r"(?<![\w-])make +(?:[A-Z_]+=\S+ +)*([a-z][\w-]*)")
VARIABLE = re.compile(r"(?<![\w-])make +[^`|\n]*?\b([A-Z_]+)=")
MODULE = re.compile(rf"(?<![\w./-])((?:{'|'.join(ROOMS)})(?:\.[a-zA-Z_]\w*)+)(?![\w/(])")
FILE = re.compile(r"(?<![\w./~%-])((?:\.\./)*[\w.-]+(?:/[\w.-]+)*\.(?:py|md|epd|toml)|\.ci/run)\b")
FOLDER = re.compile(rf"(?<![\w./~-])((?:{'|'.join(ROOMS)})/(?:\w+/)*)(?![\w.])")


@cache
def headings(page: Path) -> set[str]:
    """Return the anchors that code hosts make of a page's headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@cache
def names(module: Path) -> set[str]:
    """Return the names that a module and its classes define."""
    nodes = [*ast.walk(ast.parse(module.read_text(encoding="utf-8")))]
    defined = {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    assigned = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return defined | assigned


def is_name(dotted: str) -> bool:
    """Return whether a dotted name is a package, a module or a definition in one."""
    at, parts = ROOT, dotted.split(".")
    while parts and (at / parts[0]).is_dir():
        at /= parts.pop(0)
    if not parts:
        return True
    module = at / f"{parts[0]}.py"
    return module.exists() and set(parts[1:]) <= names(module)


def is_file(name: str, beside: Path) -> bool:
    """Return whether a file exists, or ``name`` is a placeholder."""
    places = [(folder / name).resolve() for folder in (ROOT, beside)]
    if any(place.exists() or not place.is_relative_to(ROOT) for place in places):
        return True  # files outside the checkout are unknown
    if Path(name).stem.isupper():
        return True
    return "/" not in name and any(any((ROOT / room).rglob(name)) for room in ROOMS)


def links(page: Path, text: str) -> Iterator[str]:
    """Yield the broken links of a page."""
    for target in LINK.findall(SPAN.sub("`", FENCE.sub("", text))):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.is_relative_to(ROOT) or not there.exists():
            yield f"no such place: {target}"
        elif anchor and anchor not in headings(there):
            yield f"no such heading: {target}"


def mistakes(text: str, beside: Path) -> Iterator[str]:
    """Yield the names in ``text`` that do not exist."""
    yield from (f"no such target: {word}" for word in MAKE.findall(text) if word not in TARGETS)
    for word in VARIABLE.findall(text):
        if not re.search(rf"\b{word}\b", MAKEFILE):
            yield f"make knows no {word}"
    yield from (f"no such module: {name}" for name in MODULE.findall(text) if not is_name(name))
    yield from (f"no such file: {name}" for name in FILE.findall(text) if not is_file(name, beside))
    for name in FOLDER.findall(text):
        if not (ROOT / name).is_dir():
            yield f"no such folder: {name}"


def judge(page: Path, text: str) -> list[str]:
    """Return the errors of a page."""
    code = [match[0] for match in FENCE.finditer(text)]
    code += [match[2] for match in SPAN.finditer(FENCE.sub("", text))]
    return [*links(page, text), *mistakes("\n".join(code), page.parent)]


def docstrings(tree: ast.AST) -> str:
    """Return the docstrings of a module and of all definitions in it, attributes too."""
    return "\n".join(
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_pages() -> None:
    assert len(PAGES) > 8
    found = {page: judge(page, page.read_text(encoding="utf-8")) for page in PAGES}
    assert {relative(page): wrong for page, wrong in found.items() if wrong} == {}


def test_modules_of_the_engine_are_on_a_page() -> None:
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES if page.parent != ROOT}
    for source in MODULES:
        above = [text for page, text in texts.items() if source.is_relative_to(page.parent)]
        assert any(re.search(rf"\b{source.name}\b", text) for text in above), relative(source)


def test_docstrings() -> None:
    for source in SOURCES:
        text = docstrings(ast.parse(source.read_text(encoding="utf-8")))
        spans = "\n".join(match[2] for match in SPAN.finditer(text))
        wrong = [*mistakes(spans, source.parent)]
        wrong += [name for name in MODULE.findall(text) if not is_name(name)]
        assert not wrong, f"{relative(source)}: {wrong}"


MISTAKES = [
    ("`make nonsense`", "no such target: nonsense"),
    ("```sh\nmake pv\nmake BASE=HEAD sprit\n```", "no such target: sprit"),
    ("`make sprt BASS=HEAD`", "make knows no BASS"),
    ("`python -m scripts.match.areno --help`", "no such module: scripts.match.areno"),
    ("`engine.search.pvs.pvz`", "no such module: engine.search.pvs.pvz"),
    ("`engine/search/pvz.py`", "no such file: engine/search/pvz.py"),
    ("`pvz.py` and `pvs.py`", "no such file: pvz.py"),
    ("`python scripts/data/perft.py`", "no such file: scripts/data/perft.py"),
    ("`engine/../pvs.py`", "no such file: engine/../pvs.py"),
    ("`uci/sessions/`", "no such folder: uci/sessions/"),
    ("[a page](engine/READ.md)", "no such place: engine/READ.md"),
    ("[up](../README.md)", "no such place: ../README.md"),
    ("[there](engine/README.md#compilers)", "no such heading: engine/README.md#compilers"),
    ("[here](#nothing)", "no such heading: #nothing"),
]


def test_a_mistake_is_seen() -> None:
    for text, wrong in MISTAKES:
        assert judge(ROOT / "README.md", text) == [wrong]


def test_what_is_no_mistake() -> None:
    text = """
        They make moves. `make sprt BASE=REVISION TC=4+0.04`, `python -m pytest`, `make EXE=NAME`.
        `engine/lab/collectors/NAME.py`, `engine.search.searcher.Searcher.begin`, `games.pgn`,
        [here](engine/README.md#compiling), [there](https://www.chessprogramming.org).
    """
    assert judge(ROOT / "README.md", text) == []
