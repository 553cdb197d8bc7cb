"""SIGKILL, which no process can handle: what is left afterwards does no harm."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from helpers.client import ENVIRONMENT, Process
from helpers.processes import marked
from helpers.states import LONG

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks in /proc"),
    pytest.mark.external,
]

SPAN = 12.0
"""Seconds in which an idle machine compiles most of the engine."""

# A client that starts an engine on pipes, and does nothing once the engine searches.
PARENT = """
import subprocess, sys, time
engine = subprocess.Popen(
    [sys.executable, "-m", "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
engine.stdin.write(sys.argv[1].replace(";", "\\n") + "\\n")
engine.stdin.flush()
for line in engine.stdout:
    if line.startswith(sys.argv[2]):
        print("now", flush=True)
        time.sleep(600)
"""


def nobody_is_left(mark: str) -> None:
    """Wait until all processes with ``mark`` in their environment have ended."""
    end = time.perf_counter() + LONG
    while left := marked(mark):
        assert time.perf_counter() < end, left
        time.sleep(0.05)


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.long)])
def test_killed_while_the_whole_engine_is_compiled(
    kills: int, root: Path, tmp_path: Path, processes: list[Process], seed: int
) -> None:
    """After any kill the next start plays at once, and the last one finishes compiling."""
    rng, mark = random.Random(seed), f"KILLED={uuid4()}"
    name, _, value = mark.partition("=")
    (tmp_path / "tmp").mkdir()
    settings = {name: value, "XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path / "tmp")}
    for number in range(kills):
        process = Process(root, **settings).say("uci", "go movetime 100")
        processes.append(process)
        process.until("bestmove")
        # In the short run one early, one in the middle, one late.
        time.sleep(rng.uniform(number % 3, number % 3 + 1) * SPAN / 3)
        process.popen.kill()
        assert process.popen.wait(LONG) == -signal.SIGKILL
        nobody_is_left(mark)
    for _ in range(2):
        process = Process(root, **settings).say("uci", "go depth 6")
        processes.append(process)
        lines = process.until("bestmove")
        assert any(line.startswith("info depth 6 ") for line in lines)
        assert process.say("quit").end() == (0, "", "")
        nobody_is_left(mark)
    assert not any("compiling" in line for line in lines), "the first one kept it"
    assert not any((tmp_path / "tmp").iterdir())
    assert not list((tmp_path / "pythagoras").rglob("*.draft"))


@pytest.mark.parametrize("state", ["compiling", "searching"])
def test_the_parent_is_killed(state: str, warm: Path, tmp_path: Path) -> None:
    """Only closed pipes show that the parent is gone; the engine ends, with all of its threads."""
    mark = f"ORPHAN={uuid4()}"
    name, _, value = mark.partition("=")
    cold = {"XDG_CACHE_HOME": str(tmp_path)} if state == "compiling" else {}
    words, shown = {
        "compiling": ("uci;go infinite", "info string compiling"),
        "searching": ("setoption name Threads value 4;isready;go infinite", "info depth"),
    }[state]
    command = [sys.executable, "-c", PARENT, words, shown]
    env = ENVIRONMENT | cold | {name: value}
    with subprocess.Popen(command, cwd=warm, env=env, stdout=subprocess.PIPE) as parent:
        try:
            assert parent.stdout
            assert parent.stdout.readline() == b"now\n"
            assert len(marked(mark)) >= 2
        finally:
            parent.kill()
    assert parent.returncode == -signal.SIGKILL
    nobody_is_left(mark)
