"""Fixtures that several folders share."""

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from helpers.browser import browser, need
from helpers.client import Process, run
from helpers.processes import ending_children
from helpers.required import skip_or_fail

ROOT = Path(__file__).resolve().parent.parent

# A shell starts background jobs with SIGINT ignored, which child processes would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # ignored under nohup, and inherited
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


collect_ignore = ["faults"] if os.name == "nt" else []  # faults are injected by programs of Linux

settings.register_profile("tests", deadline=None)  # slowness on a busy machine is no error
settings.load_profile("tests")


SEED = "PYTHAGORAS_SEED"
"""The variable with the seed of all random tests. Without it a run repeats the last one."""


def pytest_configure(config: pytest.Config) -> None:
    """Choose one seed for all random tests and Hypothesis, in every process of the run."""
    os.environ.setdefault(SEED, "1")
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = os.environ[SEED]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(2 * 3600))


def pytest_report_header() -> str:
    return f"random tests: {SEED}={os.environ[SEED]}"


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of a random test; a failing test shows how to repeat it."""
    number, mark = os.environ[SEED], "-m long " * ("long" in request.keywords)
    print(f"to repeat: {SEED}={number} .venv/bin/python -m pytest {mark}'{request.node.nodeid}'")
    return int(number)


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    with ending_children():
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def stockfish() -> str:
    """Return the path of a Stockfish; without one the test is skipped, or fails if required."""
    path = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if path is None:
        skip_or_fail("stockfish", "stockfish is not on the PATH or in /usr/games")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache directory for this process, private like a user's."""
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    monkeypatch.setenv("LOCALAPPDATA", str(path))
    return path


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Enter a folder with a file for each of Python's modules and each that we import.

    The test fails if one of them is executed.
    """
    folder, ran = tmp_path / "planted", tmp_path / "ran"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, "chess", "engine", "llvmlite", "numba", "numpy", "uci"):
        code = f"open({str(ran)!r}, 'a').write('{name} ')\nraise SystemExit"
        (folder / f"{name}.py").write_text(code)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    yield folder
    assert not ran.exists(), ran.read_text()


@pytest.fixture(scope="session")
def warm(root: Path) -> Path:
    """Return the folder of the checkout, after its kernels have been compiled."""
    result = run(root, "warm")
    assert result.returncode == 0
    assert result.stdout.splitlines()[-1].startswith("ready to play after ")
    return root


@pytest.fixture
def living(warm: Path, processes: list[Process]) -> Iterator[Process]:
    """Yield an engine that is ready; it is killed if it hangs."""
    engine = Process(warm)
    processes.append(engine)
    guard = threading.Timer(60, engine.popen.kill)
    guard.start()
    engine.say("uci", "isready").until("readyok")
    yield engine
    guard.cancel()


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    """Yield a list; the processes in it are ended after the test."""
    running: list[Process] = []
    yield running
    for process in running:
        process.popen.kill()
        process.popen.communicate()


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """Yield a headless Chromium; the test is skipped if it is missing."""
    need()
    with browser() as found:
        yield found
