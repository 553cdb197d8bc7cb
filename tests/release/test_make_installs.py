"""``make`` installs the checkout again unless .venv holds exactly this one, editable."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import util
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.external,
    pytest.mark.skipif(shutil.which("make") is None or os.name == "nt", reason="no make"),
    pytest.mark.skipif(not util.find_spec("hatchling"), reason="hatchling is in the extra dev"),
]

STAMPS = ".installed", ".dev", ".tools"
TARGETS = "run", "bench", "perft", "check", "test", "ladder", "arena"


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment that make has filled, with its stamps."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def install(venv: Path, *words: str | Path) -> None:
    """Install something into ``venv`` with pip, and make all stamps newer than it."""
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install"]
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    paths = sysconfig.get_paths("venv", {"base": str(venv), "platbase": str(venv)})
    dependencies = Path(paths["purelib"], "dependencies.pth")  # hatchling among them
    dependencies.write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    subprocess.run([*pip, *options, *map(str, words)], check=True)
    dependencies.unlink()
    stamp(venv)


def stamp(venv: Path) -> None:
    for name in STAMPS:
        (venv / name).touch()


def installs(root: Path, venv: Path, target: str) -> list[str]:
    """Return the install commands that make would run for ``target``."""
    words = ["make", "--dry-run", target, f"VENV={venv}"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    return [row for row in done.stdout.splitlines() if "pip install" in row]


def test_what_does_not_follow_the_sources_is_replaced(
    root: Path, venv: Path, tmp_path: Path
) -> None:
    stamp(venv)
    assert all(installs(root, venv, target) for target in TARGETS), "nothing is installed"
    install(venv, "--editable", root)
    assert not any(installs(root, venv, target) for target in TARGETS)
    install(venv, root)
    for target in TARGETS:
        commands = installs(root, venv, target)
        assert commands, "a copy, as pip makes it"
        assert all("--editable" in command for command in commands)
    install(venv, "--editable", copy_of(root, tmp_path / "other"))
    assert all(installs(root, venv, target) for target in TARGETS), "another checkout"
    install(venv, "--editable", root)
    assert not any(installs(root, venv, target) for target in TARGETS)


def copy_of(root: Path, other: Path) -> Path:
    for name in ("engine", "uci"):
        shutil.copytree(root / name, other / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, other)
    return other


def test_every_page_installs_a_checkout_in_one_way(root: Path) -> None:
    """Every page uses `--editable`: any other installation keeps playing the old engine."""
    pages = [
        page
        for page in root.rglob("*.md")
        if ".venv" not in page.parts and page.name != "CHANGELOG.md"  # which describes old versions
    ]
    found = [
        (page.name, command)
        for page in pages
        for command in re.findall(r"pip3? install[^\n`]*", page.read_text(encoding="utf-8"))
        if re.search(r"""[\s'"]\.(\[\w+\])?(?=['"\s,)]|$)""", command)
    ]
    assert len(found) >= 4
    assert [each for each in found if "--editable" not in each[1]] == []
