"""Write the API reference of the package `pythagoras` from its docstrings.

Usage: python -m scripts.release.api_page, or ``make api``. It writes ``uci/library/API.md``; a test
compares that page with the docstrings.
"""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pythagoras
from chess.engine import INFO_ALL
from pythagoras.engine import Analysis
from pythagoras.many_analyses import ManyAnalyses

PAGE = Path(__file__).resolve().parents[2] / "uci" / "library" / "API.md"

CLASSES: tuple[type, ...] = (
    pythagoras.Engine,
    Analysis,
    ManyAnalyses,
    pythagoras.AsyncEngine,
    pythagoras.MateCertificate,
)

INHERITED = {
    "Engine": ("play", "analyse", "configure", "ping", "quit"),
    "Analysis": ("wait", "get", "next", "stop"),
    "ManyAnalyses": (),
    "AsyncEngine": ("analyse", "ping"),
    "MateCertificate": (),
}
"""Methods that python-chess documents."""

HIDDEN = {"communicate", "line_received"}
"""Public methods that only python-chess calls."""

LINK = "https://python-chess.readthedocs.io/en/latest/engine.html"


def page() -> str:
    """Return the reference as Markdown."""
    head = f"""# The package `pythagoras`

Made from the docstrings by `make api`. Methods that [python-chess]({LINK})
documents are only listed: their arguments, results and errors are its own.
"""
    return "\n".join([head, *(part for each in CLASSES for part in _class(each))])


def _class(each: type) -> Iterator[str]:
    name = each.__name__
    yield f"## {name}\n\n{_text(each.__doc__)}\n"
    if (first := vars(each).get("__init__")) and first.__doc__:
        yield _function(name, first)
    for method, value in vars(each).items():
        if not method.startswith("_") and method not in {*HIDDEN, *INHERITED[name]}:
            function = value.__func__ if isinstance(value, classmethod) else value
            if inspect.isfunction(function):
                yield _function(f"{name}.{method}", function)
    if names := ", ".join(f"`{method}`" for method in INHERITED[name]):
        yield f"As in python-chess: {names}.\n"


def _function(name: str, function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    shown = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in signature.parameters.values()
        if each.name not in ("self", "cls")
    ]
    arguments = re.sub(r"mappingproxy\((.*?)\)", r"\1", str(inspect.Signature(shown)))
    arguments = arguments.replace(repr(INFO_ALL), "INFO_ALL")
    word = "await " if inspect.iscoroutinefunction(function) else ""
    return f"### `{word}{name}{arguments}`\n\n{_text(inspect.getdoc(function))}\n"


def _text(docstring: str | None) -> str:
    """Return a docstring as Markdown, with literals as code."""
    return inspect.cleandoc(docstring or "").replace("``", "`")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
