"""Installed by pip, pipx and uv, each from nothing: a checkout, the wheel, the source archive."""

import json
import os
import subprocess
import sys
import tarfile
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from helpers.installers import install, installer, pip_settings, uv_settings
from helpers.processes import environment

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="folders are called otherwise"),
    pytest.mark.skipif(
        not (util.find_spec("build") and util.find_spec("hatchling")),
        reason="build or hatchling is not installed (they are in the extra dev)",
    ),
]

SOURCES = "checkout", "wheel", "sdist"


def slow_for(quick: str) -> list[Any]:
    """Return the sources: ``quick`` for every run of the tests, the others only for long runs."""
    marks = {
        source: pytest.mark.external if source == quick else pytest.mark.long for source in SOURCES
    }
    return [pytest.param(source, marks=mark) for source, mark in marks.items()]


@pytest.fixture(scope="module")
def sources(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the sources to install: a copy of the checkout, and its wheel and source archive."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(root)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # new in Python 3.11.4
        archive.extractall(folder)  # noqa: S202  (our own sources)
    (checkout,) = (path for path in folder.iterdir() if path.is_dir())
    return {"checkout": checkout, "wheel": wheel, "sdist": sdist}


def check(command: Path, home: Path, prefix: Path, adds: str) -> None:
    """Assert that the command answers, that `doctor` passes, and that completion works.

    The command by which it advises to add packages must begin with ``adds``.
    """
    env = environment(home, HOME=str(home), PATH="/usr/bin:/bin")
    home.mkdir(mode=0o700, exist_ok=True)

    def run(*words: str) -> str:
        done = subprocess.run(
            [str(command), *words], cwd="/", env=env, capture_output=True, text=True,
            input="uci\nquit\n", timeout=300, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        return done.stdout

    assert run().endswith("uciok\n")
    checks = {each["name"]: each for each in json.loads(run("doctor", "--json"))["checks"]}
    assert "all unchanged" in checks["files"]["found"]
    assert checks["cache"]["found"] == "incomplete"
    notes = {name for name, each in checks.items() if each["status"] == "note"}
    assert notes <= {"cache", "extras", "large pages", "numba", "Python"}
    assert checks["extras"]["mend"].startswith(f"{adds} 'charset-normalizer>=3.3' ")
    kept = [path for path in prefix.rglob("pythagoras.bash") if "completions" in path.parts]
    assert [path.read_text(encoding="utf-8") for path in kept] == [
        run("--print-completion", "bash")
    ]


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES)
def test_pip(source: str, sources: dict[str, Path], tmp_path: Path) -> None:
    prefix = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(prefix)], check=True)
    install([prefix / "bin" / "pip", "install", sources[source]], {})
    adds = f"{prefix / 'bin' / 'python'} -m pip install"
    check(prefix / "bin" / "pythagoras", tmp_path / "home", prefix, adds)


@pytest.mark.parametrize("source", slow_for("wheel"))
def test_pipx(source: str, sources: dict[str, Path], tmp_path: Path) -> None:
    settings = {
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_BIN_DIR": str(tmp_path / "bin"),
        "PIPX_MAN_DIR": str(tmp_path / "man"),
    }
    words = [*installer("pipx"), "install", "--python", sys.executable, sources[source]]
    install(words, settings)
    prefix = tmp_path / "pipx" / "venvs" / "pythagoras-chess"
    adds = "pipx inject pythagoras-chess"
    check(tmp_path / "bin" / "pythagoras", tmp_path / "home", prefix, adds)


@pytest.mark.parametrize("source", slow_for("sdist"))
def test_uv(source: str, sources: dict[str, Path], tmp_path: Path) -> None:
    settings = uv_settings() | {
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
        "UV_CACHE_DIR": str(tmp_path / "cache"),
    }
    words = [*installer("uv"), "tool", "install", "--python", sys.executable, sources[source]]
    install(words, settings)
    prefix = tmp_path / "tools" / "pythagoras-chess"
    adds = f"uv pip install --python {prefix / 'bin' / 'python'}"
    check(tmp_path / "bin" / "pythagoras", tmp_path / "home", prefix, adds)


@pytest.mark.external
def test_pip_is_asked_where_packages_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://one.example https://two.example")
    assert pip_settings()["index-url"] == "https://index.example/simple"
    assert uv_settings()["UV_DEFAULT_INDEX"] == "https://index.example/simple"
    assert uv_settings()["UV_INDEX"] == "https://one.example https://two.example"
