"""The second try of a test that failed: what gets one, and that it cannot be overlooked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
TESTS = Path(__file__).parents[1]
COUNTED = """
import os, signal, subprocess, sys
from pathlib import Path
import pytest

def times(name):
    file = Path(name)
    file.write_text(file.read_text() + "." if file.exists() else ".")
    return len(file.read_text())

def test_sound():
    assert times("sound") == 1
"""
STUMBLES = """
def test_stumbles():
    assert times("stumbles") > 1, "the machine stood still"
"""
ALWAYS = """
def test_always():
    times("always")
    assert False, "a real mistake"
"""
ONCE = """
@pytest.mark.once
def test_once():
    assert times("once") > 1, "two threads met"
"""
SIGNAL = """
def test_signal():
    code = f"import os; os.kill(os.getpid(), {signal.SIGSEGV.value})"
    subprocess.run([sys.executable, "-c", code], check=times("signal") == 1)
"""
STATUS = """
def test_status():
    code = f"import os; os.kill(os.getpid(), {signal.SIGABRT.value})"
    status = subprocess.run([sys.executable, "-c", code]).returncode
    assert status == 0 or times("status") > 1
"""
CRASH = """
def test_crash():
    if times("crash") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
"""
RERUN = """
@pytest.mark.flaky(reruns=2)
def test_rerun():
    assert times("rerun") > 1, "late"
"""


class Runs:
    """A folder of tests, and runs of them as `make test` does them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV_"))}
        self.env |= {"PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def write(self, *tests: str) -> "Runs":
        (self.folder / "test_them.py").write_text("".join([COUNTED, *tests]))
        (self.folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    once: no second try\n")
        return self

    def run(self, which: str, *words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *PLUGINS, "--try", which, *words],
            cwd=self.folder, env=self.env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def times(self, name: str) -> int:
        file = self.folder / name
        return len(file.read_text()) if file.exists() else 0


PLUGINS = "-p", "helpers.second_try", "-p", "xdist", "-p", "pytest_rerunfailures"
BOTH = "--numprocesses", "2"


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def test_what_passes_alone_is_named_at_the_end(runs: Runs) -> None:
    runs.write(STUMBLES)
    status, told = runs.run("first", *BOTH)
    assert status == 1
    assert "test_them.py::test_stumbles is tried again, alone" in told
    assert runs.run("second")[0] == 0
    assert (runs.times("sound"), runs.times("stumbles")) == (1, 2)
    runs.write(RERUN)
    status, told = runs.run("last", "-k", "rerun")
    assert status == 0
    closing = told[told.index("passed only in a later try: 2; the first failure of each:") :]
    assert "test_them.py::test_stumbles\n    " in closing
    assert "AssertionError: the machine stood still" in closing
    assert "test_them.py::test_rerun\n    " in closing
    assert "AssertionError: late" in closing


def test_what_fails_twice_fails(runs: Runs) -> None:
    runs.write(STUMBLES, ALWAYS)
    assert runs.run("first")[0] == 1
    assert runs.run("second")[0] == 1
    assert runs.times("always") == 2
    assert "later try" not in runs.run("last", "-k", "stumbles")[1]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_what_gets_no_second_try(runs: Runs) -> None:
    runs.write(STUMBLES, ONCE, SIGNAL, STATUS, CRASH)
    status, told = runs.run("first", *BOTH)
    assert status == 1
    reasons = {
        "once": "it is marked once",
        "signal": "a process was ended by a signal",
        "status": "a process was ended by a signal",
        "crash": "a worker crashed",
    }
    for name, reason in reasons.items():
        assert f"test_them.py::test_{name} is not tried again: {reason}" in told
    status, told = runs.run("second")
    assert status == 1
    for name, reason in reasons.items():
        assert f"test_them.py::test_{name}: {reason}" in told
    assert runs.times("stumbles") == 1
