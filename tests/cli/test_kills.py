"""Processes killed at random moments: no child process survives, and no temporary file stays."""

import os
import random
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE, Popen
from uuid import uuid4

import pytest

from helpers.client import PYTHAGORAS
from helpers.processes import environment, marked

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks in /proc"),
]

LONG = 120
"""Seconds in which even a slow machine ends a process that has no work left."""

WAYS = "SIGTERM", "SIGHUP", "SIGKILL", "both", "pipes"

# The command with an engine that imports at once, starts a second process and never gets loaded.
STAND_IN = """
import sys, time
import uci.cli.main
from engine.jit.background import SecondCompiler
from uci.session.loader import Loader

def load(notice):
    second = SecondCompiler("sleeper", "dream")
    time.sleep(600)

uci.cli.main.Loader = lambda: Loader(load)
sys.exit(uci.cli.main.main([]))
"""


def unwritable(place: Path) -> dict[str, str]:
    """Return the environment of a process that cannot write its cache."""
    home, temporary = place / "home", place / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    home.touch()  # a file where a folder should be
    return environment(home, HOME=str(home), TMPDIR=str(temporary))


def kill(command: list[str], cwd: Path, env: dict[str, str], way: str, delay: float) -> float:
    """Start an engine and end it in this ``way``; check, and return the seconds that it took."""
    mark = f"KILLED={uuid4()}"
    name, _, value = mark.partition("=")
    with Popen(command, cwd=cwd, env=env | {name: value}, stdin=PIPE, stdout=PIPE) as process:
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(b"uci\nisready\ngo infinite\n")
            process.stdin.flush()
            time.sleep(delay)
            started = time.perf_counter()
            if way == "pipes":
                process.stdin.close()
                process.stdout.close()
            for each in ("SIGTERM", "SIGHUP") if way == "both" else (way,):
                if each != "pipes":
                    process.send_signal(signal.Signals[each])
            process.wait(LONG)
            while marked(mark):
                assert time.perf_counter() < started + LONG, f"{marked(mark)} go on after {way}"
                time.sleep(0.02)
        finally:
            process.kill()
    assert not any(Path(env["TMPDIR"]).iterdir()), f"{way} after {delay} s left something"
    return time.perf_counter() - started


@pytest.mark.slow
def test_killed_at_random_moments(root: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    (tmp_path / "sleeper.py").write_text("import time; time.sleep(600)")
    env = unwritable(tmp_path / "place") | {"PYTHONPATH": f"{root}{os.pathsep}{tmp_path}"}
    command = [PYTHAGORAS[0], "-c", STAND_IN]
    for way in (*WAYS, *WAYS, "SIGKILL", "SIGTERM"):
        kill(command, tmp_path, env, way, rng.uniform(0, 0.8))


@pytest.mark.long
def test_the_engine_killed_at_random_moments(
    root: Path, tmp_path: Path, warm: Path, seed: int
) -> None:
    """Kill two engines at a time, in their first seconds and while they compile, with and without a
    writable cache."""
    kills = int(os.environ.get("PYTHAGORAS_KILLS", "200"))

    def spree(number: int) -> None:
        """Kill every second engine, each in a folder of its own."""
        rng, place = random.Random(1000 * seed + number), tmp_path / str(number)
        nowhere = unwritable(place)
        cold = nowhere | {"XDG_CACHE_HOME": str(place / "cache"), "HOME": str(place)}
        warmed = dict(os.environ) | {"TMPDIR": nowhere["TMPDIR"]}
        for _ in range(number, kills, 2):
            env, longest = rng.choice([(nowhere, 20.0), (cold, 20.0), (cold, 3.0), (warmed, 2.0)])
            words = rng.choice([[], [], ["warm"], ["perft", "12"]])
            way, delay = rng.choice(WAYS), rng.uniform(0, longest)
            seconds = kill([*PYTHAGORAS, *words], root, env, way, delay)
            print(f"{' '.join(words):8} {way:8} after {delay:4.1f} s: {seconds:.2f} s", flush=True)
            if rng.random() < 0.2:
                shutil.rmtree(place / "cache", ignore_errors=True)

    with ThreadPoolExecutor() as pool:
        list(pool.map(spree, range(2)))
