"""System limits: memory, open files, processes, the size of a file."""

import re
import resource
import sys
from pathlib import Path

import pytest

from engine.datagen.game_file import open_games
from helpers.client import Process, run
from helpers.faults import (
    behind,
    bites,
    limited,
    plays,
    strings,
    system_python,
    whole_engine,
)
from helpers.processes import environment, start
from helpers.tiny_engine import tiny_engine

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="sets limits with prlimit"
)

PLAIN = "engine failed to load; using the slow fallback search: "
USER = 64125
"""A user id that no system uses, so that no other processes count."""


@pytest.mark.external
def test_memory_that_ends_while_hash_and_threads_grow(living: Process) -> None:
    """Each failure is one line; the previous size stays, and the game continues."""
    process = living.popen.pid
    held = int(Path(f"/proc/{process}/statm").read_text().split()[0]) * resource.getpagesize()
    limit = held + (160 << 20)
    resource.prlimit(process, resource.RLIMIT_AS, (limit, limit))
    bites(limited(**{"as": limit}), sys.executable, "-c", f"bytearray({limit})")
    for name, values, told in (
        ("Hash", (4096, 2048, 1024), "not enough memory for Hash={} MiB; using 16 MiB"),
        ("Threads", (1024, 64), r"could not start {} threads; using \d+"),
    ):
        for value in values:
            (line,) = plays(living, f"setoption name {name} value {value}", "go depth 5")
            assert re.fullmatch(told.format(value), line)
            assert not plays(living, "ucinewgame", "go depth 5")


@pytest.mark.external
@pytest.mark.parametrize("megabytes", [192, 400])
def test_too_little_memory_to_load_the_kernels(megabytes: int, warm: Path) -> None:
    """It plays, or reports in one line why it cannot start."""
    before = limited(**{"as": megabytes << 20})
    bites(before, sys.executable, "-c", f"bytearray({megabytes << 20})")
    environ = {"OPENBLAS_NUM_THREADS": "1"}
    with whole_engine(warm, *before, **environ) as engine:
        told = strings(engine.say("uci", "isready").until("readyok"))
        told += plays(engine, "go movetime 100")
    assert len(told) <= 1
    assert not told or told[0].startswith(PLAIN)


@pytest.mark.external
@pytest.mark.parametrize("files", [8, 12])
def test_few_open_files(files: int, root: Path, tmp_path: Path) -> None:
    before = limited(nofile=files)
    bites(before, sys.executable, "-c", f"files = [open('/dev/null') for _ in range({files})]")
    with whole_engine(root, *before) as engine:
        told = strings(engine.say("uci", "isready").until("readyok"))
        told += plays(engine, "go movetime 100")
        told += plays(
            engine, f"setoption name Debug Log File value {tmp_path / 'log'}", "go depth 1"
        )
    assert not [line for line in told if "internal error" in line], told


@pytest.mark.external
@pytest.mark.parametrize("more", [0, 6])
def test_few_threads(more: int, root: Path) -> None:
    """With any number of threads refused, each ``go`` gets its move and at most one message."""
    with system_python(root, USER) as (before, place):
        prefix = [*before, *limited(nproc=2 + more), "env", "OPENBLAS_NUM_THREADS=1"]
        if not more:
            bites([*before, *limited(nproc=1)], "sh", "-c", "(true) & wait $!")
        command = [*prefix, "NUMBA_DISABLE_JIT=1", str(place / "venv/bin/pythagoras")]
        with whole_engine(root, command=command) as engine:
            told = strings(engine.say("uci", "isready").until("readyok"))
            wanted = "setoption name Threads value 8"
            told += plays(engine, wanted, "go nodes 500")
            told += strings(engine.say("isready").until("readyok"))
            later = plays(engine, "go nodes 500")
        lines = [line for line in told if "could not start" in line]
        assert 1 <= len(lines) <= 2, told
        assert not [line for line in told + later if "error" in line]


@pytest.mark.external
def test_no_file_may_grow_while_compiling(root: Path, tmp_path: Path, home: Path) -> None:
    before = limited(fsize=1000)
    bites(before, "dd", "if=/dev/zero", f"of={tmp_path / 'file'}", "bs=2k", "count=1")
    package = tiny_engine(root, tmp_path / "one")
    env = environment(home, PYTHONDONTWRITEBYTECODE="1")  # older Pythons keep half of a .pyc
    for words, compiled in ((before, 1), ([], 1), ([], 0)):
        process = start(package, "import engine.tiny", env, words)
        assert f'"compiled": {compiled}' in process.communicate(timeout=300)[0]
        assert process.returncode == 0
        assert not list(home.rglob("*.draft"))


@pytest.mark.long
def test_no_file_may_grow_while_the_engine_compiles(root: Path, home: Path) -> None:
    bites(limited(fsize=1000), "dd", "if=/dev/zero", f"of={home / 'file'}", "bs=2k", "count=1")
    (home / "file").unlink()
    with whole_engine(root, *limited(fsize=1000)) as engine:
        told = strings(engine.say("uci", "perft 3").until("8902"))
        assert told[1].endswith("the next start will compile again: File too large")
        assert not plays(engine, "go depth 6")
    assert not list(home.rglob("*.draft"))


@pytest.mark.external
def test_no_file_may_grow_while_logging(warm: Path, tmp_path: Path) -> None:
    log, before = tmp_path / "log", limited(fsize=1000)
    bites(before, "dd", "if=/dev/zero", f"of={log}", "bs=2k", "count=1")
    log.unlink()
    with whole_engine(warm, *before) as engine:
        told = plays(engine, f"setoption name Debug Log File value {log}", "uci", "go depth 6")
        told += plays(engine, "go depth 6")
    assert told == ["debug log closed, it is incomplete: File too large"]
    assert log.stat().st_size <= 1000


@pytest.mark.external
def test_no_file_may_grow_while_games_are_made(warm: Path, tmp_path: Path) -> None:
    file, before = tmp_path / "games", limited(fsize=60000)
    bites(before, "dd", "if=/dev/zero", f"of={tmp_path / 'other'}", "bs=80k", "count=1")
    words = ["datagen", str(file), "--nodes", "50", "--threads", "1", "--games"]
    assert run(warm, *words, "1").returncode == 0, "compiled, and kept"
    done = behind(before, warm, *words, "10000")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.endswith("File too large\n")
    games = sum(block.games for block in open_games(file))
    assert games >= 32
    assert run(warm, *words, str(games + 1)).returncode == 0
    assert sum(block.games for block in open_games(file)) == games + 1
