"""The one-file build: moved elsewhere alone, it plays and answers as the checkout does."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import uci
from helpers.processes import environment
from scripts.release import standalone
from uci.session.bench import bench

DEPTH = 4


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("packed") / "engine-1.0"
    assert standalone.main([str(file)]) == 0
    return file


def call(file: Path, home: Path, *words: str, said: str = "") -> str:
    """Return the output of the file, started from the root of the file system."""
    env = environment(home, HOME=str(home))
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    start = [sys.executable, str(file)] if os.name == "nt" else [str(file)]
    done = subprocess.run(
        [*start, *words], cwd="/", env=env, input=said, text=True, capture_output=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.external
def test_moved_elsewhere_alone_it_plays(packed: Path, home: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    file = shutil.copy(packed, alone / "other-name")
    *_, expected = bench(DEPTH, 1, lambda: False)
    for _ in ("cold", "warm"):
        summary = call(file, home, "bench", str(DEPTH)).splitlines()[-1]
        assert re.fullmatch(r"\d+ nodes \d+ nps", summary)
        assert summary.split()[0] == expected.split()[0]
        found = call(file, home, "go", "depth", "5")
        assert re.search(r"^info depth 5 .* pv \w+", found, re.MULTILINE)
        assert re.search(r"^bestmove [a-h][1-8][a-h][1-8]", found, re.MULTILINE)
    assert list(alone.iterdir()) == [file]
    assert [path.name for path in home.iterdir()] == ["pythagoras"]  # nothing of numba's own

    # A copy finds what the first one has compiled.
    compiled = {path: path.stat().st_mtime_ns for path in home.rglob("*.code")}
    copy = shutil.copy(packed, tmp_path / "copy")
    assert "bestmove" in call(copy, home, "go", "depth", "1")
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*.code")} == compiled != {}


@pytest.mark.external
def test_it_speaks_at_once(packed: Path, home: Path) -> None:
    assert "uciok" in call(packed, home, said="uci\nquit\n")


def test_the_same_sources_make_the_same_bytes(packed: Path, tmp_path: Path) -> None:
    standalone.pack(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == packed.read_bytes()


def test_all_that_is_needed_is_inside(packed: Path, root: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
    for package in ("engine", "uci"):
        for path in (root / package).rglob("*"):
            if path.is_file():
                inside = path.relative_to(root).as_posix() in names
                assert inside == ("__pycache__" not in path.parts and path.suffix != ".md")
    assert {"__main__.py", "LICENSE", "pyproject.toml"} < names


def test_it_is_executable(packed: Path) -> None:
    assert packed.read_bytes().startswith(b"#!/usr/bin/env python3\n")
    assert os.name == "nt" or os.access(packed, os.X_OK)


def test_a_folder_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert standalone.main([str(tmp_path)]) == 1
    assert "is a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_it_says_what_python_lacks(packed: Path) -> None:
    """Missing packages, here hidden by ``-S``, are reported."""
    done = subprocess.run(
        [sys.executable, "-S", str(packed), "bench"], text=True, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "chess" in done.stderr


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python without packages."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)}), "python")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--version"], f"pythagoras {uci.__version__}\n"),
        (["--help"], "usage: pythagoras"),
        (["go", "--help"], "usage: pythagoras go"),
        (["--print-completion", "bash"], "# AUTOMATICALLY GENERATED"),
    ],
)
def test_what_it_answers_without_packages(
    words: list[str], told: str, packed: Path, bare: Path, home: Path
) -> None:
    done = subprocess.run(
        [bare, packed, *words], env=environment(home, HOME=str(home)),
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(told)


def test_the_doctor_comes_without_packages(packed: Path, bare: Path, home: Path) -> None:
    done = subprocess.run(
        [bare, packed, "doctor"], env=environment(home, HOME=str(home)),
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert f"> {bare} -m pip install" in " ".join(done.stdout.split())
    assert "Wrong: numpy, chess" in done.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_builds_it(root: Path, tmp_path: Path, packed: Path) -> None:
    file = tmp_path / "named"
    command = ["make", f"EXE={file}", f"PYTHON={sys.executable}"]
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    assert file.read_bytes() == packed.read_bytes()
