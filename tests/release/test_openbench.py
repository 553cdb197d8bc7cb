"""OpenBench's demands on an engine: a file by ``make EXE=``, a bench, and two options."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.processes import environment

NAME = "Pythagoras-0123ABCD"  # the engine's name and the beginning of a commit
SOURCES = ("Makefile", "pyproject.toml", "LICENSE", "engine", "uci", "scripts")

pytestmark = [
    pytest.mark.external,
    pytest.mark.skipif(
        os.name == "nt" or shutil.which("make") is None, reason="no make, or no such files"
    ),
]


def settings(home: Path) -> dict[str, str]:
    """Return the environment of a worker, whose ``python3`` has the engine's requirements."""
    env = environment(home, HOME=str(home))
    return env | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])}


@pytest.fixture(scope="module")
def unpacked(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sources as in an archive: without git, and without built files."""
    folder = tmp_path_factory.mktemp("openbench") / "Pythagoras-tmp"
    folder.mkdir()
    for name in SOURCES:
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / name, folder / name, ignore=ignored)
        else:
            shutil.copy(root / name, folder)
    return folder


@pytest.fixture(scope="module")
def engine(unpacked: Path) -> Path:
    """Return the built file, in a folder of engines."""
    before = set(unpacked.iterdir())
    command = ["make", "-j", f"EXE={NAME}", "CC=gcc"]
    done = subprocess.run(
        command, cwd=unpacked, env=settings(unpacked.parent), check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = set(unpacked.iterdir()) - before
    assert made.name == NAME
    engines = unpacked.parent / "Engines"
    engines.mkdir()
    return Path(shutil.move(made, engines))


def counts(output: str) -> tuple[int | None, int | None]:
    """Return nodes and speed as OpenBench reads them.

    Each is in the last line that has it, after replacing all but letters and digits by spaces.
    """
    found: list[int | None] = []
    for unit in ("nodes", "nps"):
        pattern = re.compile(rf"(\d+)\s+{unit}|{unit}\s+(\d+)", re.IGNORECASE)
        lines = (re.sub(r"[^a-zA-Z0-9 ]+", " ", line) for line in output.splitlines()[::-1])
        match = next(filter(None, map(pattern.search, lines)), None)
        found.append(int(match[1] or match[2]) if match else None)
    return found[0], found[1]


def start(engine: Path, home: Path, *words: str) -> subprocess.Popen[str]:
    """Start the file as a worker does, from its own folder, with stderr in the output."""
    return subprocess.Popen(
        [f"./{engine.name}", *words], cwd=engine.parent, env=settings(home), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def test_how_openbench_reads_a_bench() -> None:
    assert counts("1/2 nodes 7 fen\n2/2 nodes 8 fen\n15 nodes 123 nps") == (15, 123)
    assert counts("Nodes: 15\nNPS: 123\n") == (15, 123)
    assert counts("15,000 nodes 1.5 Mnps") == (0, None)
    assert counts("ready") == (None, None)


def test_make_makes_one_file_from_an_archive(engine: Path) -> None:
    assert engine.is_file()
    assert os.access(engine, os.X_OK)


def test_the_options_that_a_worker_sets(engine: Path, tmp_path: Path) -> None:
    said, _ = start(engine, tmp_path).communicate("uci\nquit\n", timeout=300)
    for option in ("Hash", "Threads"):
        assert re.search(rf"^option name {option} type spin ", said, re.MULTILINE)


@pytest.mark.long
def test_benches_of_all_workers_count_the_same(engine: Path, tmp_path: Path) -> None:
    """Two first workers at once, and a later one that finds all code compiled, count the same."""
    benches = [start(engine, tmp_path, "bench") for _ in range(2)]
    found = [counts(bench.communicate(timeout=600)[0]) for bench in benches]
    found.append(counts(start(engine, tmp_path, "bench").communicate(timeout=600)[0]))
    nodes = {count for count, _ in found}
    assert len(nodes) == 1
    assert (nodes.pop() or 0) >= 10_000_000
    assert all(speed for _, speed in found)
