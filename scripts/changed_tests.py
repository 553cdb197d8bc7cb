"""Print the test folders of the packages that changed since HEAD, for ``make quick``.

Usage: python -m scripts.changed_tests
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

OTHER_NAMES: dict[tuple[str, ...], str] = {
    ("apps", "console"): "cli",
    ("apps", "games"): "analyse",
    ("apps", "lab"): "apps_lab",
}
"""Packages whose test folder has another name."""

ALWAYS = "house"
"""The folder of tests that apply to all sources."""


def folder_of(path: str) -> str:
    """Return the name of the test folder of a file; `ALWAYS` if it has none of its own."""
    top, *parts = Path(path).with_suffix("").parts
    if top not in ("engine", "uci", "scripts", "tests"):
        return ALWAYS
    name = OTHER_NAMES.get(tuple(parts[:2]), parts[parts[0] == "apps" and len(parts) > 2])
    return name if (ROOT / "tests" / name).is_dir() and name != "helpers" else ALWAYS


def folders(paths: Iterable[str]) -> list[str]:
    """Return the test folders of changed files, without duplicates."""
    return sorted({ALWAYS, *map(folder_of, paths)})


def changed() -> list[str]:
    """Return the files that differ from HEAD, and untracked files."""
    git = ["git", "-C", str(ROOT)]
    different = [*git, "diff", "--name-only", "HEAD"]
    unknown = [*git, "ls-files", "--others", "--exclude-standard"]
    return [
        line
        for command in (different, unknown)
        for line in subprocess.check_output(command, text=True).splitlines()
    ]


def main() -> int:
    """Print the folders; return the exit status."""
    print(*(f"tests/{name}" for name in folders(changed())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
