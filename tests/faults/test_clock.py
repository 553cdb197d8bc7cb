"""The wall clock jumps by years or was never right: only the steady clock counts for a game."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.client import Process
from helpers.faults import need
from helpers.processes import environment, run
from helpers.states import LONG
from helpers.tiny_engine import tiny_engine
from helpers.wall_clock import YEAR, WallClock

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the shim is Linux's"),
    pytest.mark.external,
]

long = pytest.mark.long

CLOCKS = "import time; print(int(time.time()), time.monotonic(), time.perf_counter())"


@pytest.fixture
def clock(tmp_path: Path) -> WallClock:
    """Return a wall clock that the test sets; steady clocks are not changed."""
    need("gcc")
    clock, now = WallClock(tmp_path), time.gmtime().tm_year
    for years in (30, -20, 0):
        clock.set(years * YEAR)
        assert abs(clock.year() - now - years) <= 1
        before = time.time(), time.monotonic(), time.perf_counter()
        env = os.environ | clock.settings
        words = subprocess.check_output([sys.executable, "-c", CLOCKS], env=env).split()
        wall, *steady = map(float, words)
        assert abs(wall - before[0] - years * YEAR) < LONG
        assert all(0 <= a - b < LONG for a, b in zip(steady, before[1:], strict=True))
    return clock


@pytest.mark.parametrize("years", [30, -30])
def test_a_jump_during_a_search(
    years: int, clock: WallClock, warm: Path, tmp_path: Path, processes: list[Process]
) -> None:
    """The search uses exactly its time; every line of the log is complete and has the date."""
    log = tmp_path / "log"
    process = Process(warm, **clock.settings)
    processes.append(process)
    process.say(f"setoption name Debug Log File value {log}", "isready").until("readyok")
    for go in ("go movetime 700", "go wtime 4000 btime 4000 winc 1000 movestogo 2"):
        clock.set(0)
        process.say(go).until("info depth 5")
        clock.set(years * YEAR)
        lines = process.until("bestmove")
        infos = [line.split() for line in lines if " time " in line]
        times = [int(words[words.index("time") + 1]) for words in infos]
        assert times == sorted(times)
        assert times[-1] < 5000
        assert "movetime" not in go or times[-1] > 300
    out, err = process.say("quit").popen.communicate(timeout=LONG)
    assert (out, err, process.popen.returncode) == ("", "", 0)
    written = log.read_text().splitlines()
    assert all(line[23:26] in (" < ", " > ") and line[:4].isdigit() for line in written)
    seen = {int(line[:4]) for line in written}
    assert max(seen) - min(seen) >= abs(years) - 1


def test_a_jump_and_the_age_of_the_cache(
    clock: WallClock, root: Path, tmp_path: Path, home: Path
) -> None:
    """Folders that are old by the new clock are removed; the one in use and foreign files stay."""
    package = tiny_engine(root, tmp_path / "one")

    def start(years: int) -> dict[str, object]:
        clock.set(years * YEAR)
        found: dict[str, object] = json.loads(
            run(package, "import engine.tiny", environment(home, **clock.settings))
        )
        return found

    assert start(0)["compiled"] == 1
    theirs = home / "pythagoras" / "notes"
    theirs.mkdir()
    (theirs / "mine").write_text("mine")
    other = home / "pythagoras" / ("0" * 24)
    other.mkdir()
    for years in (-30, 30, 0):
        assert start(years)["compiled"] == 0, years
        assert other.exists() == (years != 30), "a month unused"
        other.mkdir(exist_ok=True)
    assert (theirs / "mine").read_text() == "mine"


@pytest.mark.parametrize("year", [1960, *(pytest.param(y, marks=long) for y in (1970, 1975))])
def test_a_clock_that_was_never_set(
    year: int, clock: WallClock, root: Path, tmp_path: Path, home: Path
) -> None:
    """With a wrong clock, and sources from another time, code is compiled once and then loaded."""
    package = tiny_engine(root, tmp_path / "one")
    then = (year - 1970) * YEAR
    clock.set(then - int(time.time()))
    assert abs(clock.year() - year) <= 1
    for path in package.rglob("*.py"):
        os.utime(path, (then, then))
        assert path.stat().st_mtime == then
    env = environment(home, **clock.settings)
    for compiled in (1, 0):
        report = json.loads(run(package, "import engine.tiny", env))
        assert (report["answer"], report["compiled"]) == (42, compiled)
        folder = Path(report["folder"])
        for path in (*folder.iterdir(), folder):  # as that clock would have dated them
            os.utime(path, (then, then))
    assert cache.is_complete(folder, [])
