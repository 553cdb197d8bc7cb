"""Report which lines of kernels the interpreted tests run.

``make coverage`` runs those tests with coverage.py, which cannot see machine code.
"""

import argparse
import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from scripts.match.command_line import command_line

ROOT = Path(__file__).resolve().parents[2]
DECORATORS = {"kernel", "entry"}


def kernel_lines(source: str) -> set[int]:
    """Return the numbers of the lines in the bodies of kernels and entry points."""
    return {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and any(map(_is_kernel, node.decorator_list))
        for line in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    }


def _is_kernel(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(called, "id", getattr(called, "attr", "")) in DECORATORS


def ranges(numbers: Iterable[int]) -> str:
    """Return sorted numbers as text: ``3, 7–9``."""
    groups = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    parts = [[number for _, number in group] for _, group in groups]
    return ", ".join(f"{p[0]}–{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def report(run: Iterable[tuple[str, set[int], set[int]]]) -> Iterator[str]:
    """Yield a line for each file with kernels, and one for the total.

    ``run`` has for each file all its statements and the statements that were not run.
    """
    total = left = 0
    for name, statements, missing in run:
        kernels = kernel_lines((ROOT / name).read_text(encoding="utf-8")) & statements
        if kernels:
            missed = sorted(kernels & missing)
            total, left = total + len(kernels), left + len(missed)
            yield f"{1 - len(missed) / len(kernels):6.1%}  {name}  {ranges(missed)}".rstrip()
    yield f"{1 - left / max(total, 1):6.1%}  of {total:,} lines of kernels"


@command_line("kernel_coverage")
def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; return the exit status."""
    from coverage import Coverage

    parser = argparse.ArgumentParser(prog="kernel_coverage", description=__doc__.splitlines()[0])
    parser.add_argument("file", help="data file of coverage.py")
    measured = Coverage(data_file=parser.parse_args(arguments).file)
    measured.load()
    files = []
    for path in sorted((ROOT / "engine").rglob("*.py")):
        _, statements, _, missing, _ = measured.analysis2(str(path))
        files.append((path.relative_to(ROOT).as_posix(), set(statements), set(missing)))
    for line in report(files):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
