"""The examples of pages and docstrings give the results that they show."""

import doctest
import re
from pathlib import Path

import pytest
import pythagoras

from engine.jit.kernel import COMPILED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]


def run(text: str, name: str) -> tuple[int, int]:
    """Return the numbers of failed and of all examples in ``text``."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    return results.failed, results.attempted


@pytest.mark.parametrize(
    ("page", "least"),
    [("README.md", 5), ("uci/library/README.md", 10), ("uci/apps/prove/README.md", 5)],
)
def test_the_pages(page: str, least: int, root: Path, warm: Path) -> None:
    text = (root / page).read_text(encoding="utf-8")
    (example,) = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    failed, attempted = run(example, page)
    assert (failed, attempted >= least) == (0, True)


def test_the_packages(warm: Path) -> None:
    assert run(pythagoras.__doc__ or "", "pythagoras") == (0, 5)


def test_an_example_that_is_wrong_is_found() -> None:
    assert run(">>> 1 + 1\n3\n", "wrong") == (1, 1)
