"""A disk that is full or fails: the engine reports it in one line, and continues."""

import json
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from engine.datagen.game_file import open_games, split
from helpers.client import run
from helpers.faults import behind, bites, injecting, namespace, plays, run_in, strings, whole_engine
from helpers.processes import environment, start
from helpers.tiny_engine import tiny_engine

NO_SPACE, NO_INPUT = "No space left on device", "Input/output error"
NOT_KEPT = f"could not save the compiled code, so the next start will compile again: {NO_SPACE}"
ONCE = "compiling search, evaluation and move generation for this machine: this happens once"

Run = Callable[[list[str]], dict[str, object]]


@pytest.fixture
def small(home: Path) -> Iterable[list[str]]:
    """Yield the prefix of a command whose cache is on a disk of 160 kB."""
    with namespace('mount -t tmpfs -o size=160k,mode=700 none "$1"', home) as before:
        yield before


@pytest.fixture
def tiny(root: Path, tmp_path: Path, home: Path) -> Run:
    """Return a function that runs a `tiny_engine` with a command prefix."""
    package = tiny_engine(root, tmp_path / "one")

    def report(before: list[str]) -> dict[str, object]:
        process = start(package, "import engine.tiny", environment(home), before)
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        found: dict[str, object] = json.loads(output)
        assert found["answer"] == 42
        return found

    return report


def drafts(home: Path) -> list[Path]:
    return list(home.rglob("*.draft"))


def games(path: Path) -> list[list[int]]:
    return [words.tolist() for block in open_games(path) for words in split(block)]


@pytest.mark.external
def test_a_full_disk_while_the_engine_compiles(root: Path, home: Path, small: list[str]) -> None:
    bites(small, "dd", "if=/dev/zero", f"of={home / 'file'}", "bs=1k", "count=200")
    run_in(small, "rm", home / "file")
    with whole_engine(root, *small) as engine:
        told = plays(engine, "uci", "go movetime 100")
        told += strings(engine.say("perft 3").until("8902"))
        told += plays(engine, "go depth 6")
    assert [line for line in told if "compil" in line] == [
        f"{ONCE} and takes less than a minute",
        NOT_KEPT,
    ]
    left = run_in(small, "find", home, "-type", "f").split()
    assert not [name for name in left if name.endswith((".draft", "complete"))]


@pytest.mark.long
def test_a_disk_with_room_again(root: Path, home: Path, small: list[str]) -> None:
    said = []
    for size in ("160k", "16m", "16m"):
        run_in(small, "mount", "-o", f"remount,size={size}", home)
        with whole_engine(root, *small) as engine:
            lines = engine.say("uci", "perft 3").until("8902")
            said.append([line for line in strings(lines) if "compil" in line])
            assert not plays(engine, "go depth 6")
    assert [len(lines) for lines in said] == [2, 1, 0]
    assert said[0][1] == NOT_KEPT


@pytest.mark.external
def test_a_full_disk_while_logging(warm: Path, tmp_path: Path) -> None:
    log = tmp_path / "disk" / "log"
    log.parent.mkdir()
    mount = 'mount -t tmpfs -o size=4k none "$1"'
    with namespace(mount, log.parent) as before:
        bites(before, "dd", "if=/dev/zero", f"of={log}", "bs=8k", "count=1")
        run_in(before, "rm", log)
        with whole_engine(warm, *before) as engine:
            told = plays(engine, f"setoption name Debug Log File value {log}", "uci", "go depth 8")
            told += plays(engine, "go depth 8")
            told += strings(engine.say("isready").until("readyok"))
            assert [line for line in told if "log" in line] == [
                f"debug log closed, it is incomplete: {NO_SPACE}"
            ]
            assert run_in(before, "head", "-n", "1", log).endswith("> uci\n")
            run_in(before, "rm", log)  # there is room again
            engine.say(f"setoption name Debug Log File value {log}", "isready").until("readyok")
            assert run_in(before, "cat", log).endswith("< readyok\n")


@pytest.mark.external
def test_a_full_disk_while_games_are_made(warm: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    file, kept = disk / "games", tmp_path / "kept"
    words = ["datagen", str(file), "--nodes", "50", "--threads", "1"]
    with namespace('mount -t tmpfs -o size=32k none "$1"', disk) as before:
        bites(before, "dd", "if=/dev/zero", f"of={file}", "bs=64k", "count=1")
        run_in(before, "rm", file)
        done = behind(before, warm, *words, "--games", "10000")
        assert done.returncode == 2
        assert (done.stderr.count("\n"), done.stderr[-24:]) == (1, f"{NO_SPACE}\n")
        run_in(before, "cp", file, kept)
        first = games(kept)
        assert len(first) >= 32
        run_in(before, "mount", "-o", "remount,size=1m", disk)
        assert behind(before, warm, *words, "--games", str(len(first) + 5)).returncode == 0
        run_in(before, "cp", file, kept)
    assert games(kept)[: len(first)] == first
    assert len(games(kept)) >= len(first) + 5


@pytest.mark.external
@pytest.mark.parametrize("when", ["1+", "chance"])
def test_no_space_at_some_write_of_the_cache(when: str, home: Path, tiny: Run, seed: int) -> None:
    """After a failed write, the next start finds a valid cache or repairs it."""
    if when == "chance":
        when = f"{random.Random(seed).randint(1, 3)}+{random.Random(seed + 1).randint(1, 3)}"
    tiny([])
    written = [
        path for path in home.rglob("*") if path.suffix == ".code" or path.name == "complete"
    ]
    assert len(written) == 2
    into = [path.with_name(f"{path.name}.draft") for path in written]
    for path in written:
        path.unlink()
    fault = injecting(f"write:error=ENOSPC:when={when}", into=into)
    bites(injecting("write:error=ENOSPC:when=1", into=into), "sh", "-c", 'echo > "$0"', into[0])
    into[0].unlink()
    assert tiny(fault)["compiled"] == 1
    assert not drafts(home)
    assert [tiny([])["compiled"] for _ in range(2)][1] == 0
    assert not drafts(home)


@pytest.mark.external
def test_a_cache_that_cannot_be_read(home: Path, tiny: Run) -> None:
    tiny([])
    files = [path for path in home.rglob("*") if path.is_file()]
    fault = injecting("read:error=EIO", into=files)
    for file in files:
        bites(fault, "dd", f"if={file}", "of=/dev/null")
    assert tiny(fault)["compiled"] == 1
    assert not drafts(home)
    assert tiny([])["compiled"] == 0


@pytest.mark.external
@pytest.mark.parametrize("call", ["write", "close"])
def test_a_log_on_a_disk_that_fails(call: str, warm: Path, tmp_path: Path) -> None:
    log, other = tmp_path / "log", tmp_path / "other"
    fault = injecting(f"{call}:error=EIO:when={4 if call == 'write' else 1}+", into=[log])
    plain = "import sys; file = open(sys.argv[1], 'wb', 0); file.write(b'plain'); file.close()"
    bites(injecting(f"{call}:error=EIO", into=[log]), sys.executable, "-c", plain, log)
    with whole_engine(warm, *fault) as engine:
        told = plays(engine, f"setoption name Debug Log File value {log}", "uci", "go depth 5")
        for name in (other, log, other, log, other):
            told += plays(engine, f"setoption name Debug Log File value {name}", "go depth 5")
    lost = [line for line in told if "log" in line]
    assert set(lost) == {f"debug log closed, it is incomplete: {NO_INPUT}"}
    assert call == "close" or len(lost) <= 3, "one for each time that it was opened"


@pytest.mark.external
def test_games_on_a_disk_that_fails(warm: Path, tmp_path: Path) -> None:
    file = tmp_path / "games"
    words = ["datagen", str(file), "--nodes", "50", "--threads", "1", "--games"]
    assert run(warm, *words, "32").returncode == 0
    before = games(file)
    for fault in ("fsync:error=EIO", "write:error=EIO"):
        failing = injecting(fault, into=[file])
        if "fsync" in fault:
            bites(failing, "dd", "if=/dev/null", f"of={file}", "conv=fsync,notrunc")
        else:
            bites(failing, "sh", "-c", 'echo >> "$0"', file)
        done = behind(failing, warm, *words, str(len(games(file)) + 1))
        assert done.returncode == 2
        assert (done.stderr.count("\n"), done.stderr[-19:]) == (1, f"{NO_INPUT}\n")
        assert games(file)[: len(before)] == before
    assert run(warm, *words, "64").returncode == 0


@pytest.mark.external
def test_no_locks(home: Path, tiny: Run) -> None:
    fault = injecting("flock:error=ENOLCK")
    bites(fault, "flock", home, "true")
    assert [tiny(fault)["compiled"] for _ in range(2)] == [1, 0]
    assert not drafts(home)


@pytest.mark.long
@pytest.mark.parametrize("fault", ["flock:error=ENOLCK", "write:error=ENOSPC"])
def test_the_whole_engine_on_such_a_disk(fault: str, root: Path, home: Path) -> None:
    """The engine plays without a cache, and with the one that a failing disk leaves."""
    bites(injecting("flock:error=ENOLCK"), "flock", home, "true")
    with whole_engine(root) as engine:
        engine.say("perft 3").until("8902")
    files = [path for path in home.rglob("*") if path.is_file()]
    into = [*files, *(path.with_name(f"{path.name}.draft") for path in files)]
    for file in files:
        file.unlink()
    said = []
    for before in (injecting(fault, into=into), [], []):
        with whole_engine(root, *before) as engine:
            lines = engine.say("uci", "perft 3").until("8902")
            said.append([line for line in strings(lines) if "compil" in line])
            assert not plays(engine, "go depth 6")
        assert not drafts(home)
    if "flock" in fault:
        assert [len(lines) for lines in said] == [1, 0, 0]
    else:
        assert [len(lines) for lines in said] == [2, 1, 0]
        assert said[0][1] == NOT_KEPT


@pytest.mark.long
def test_the_whole_engine_with_a_cache_that_cannot_be_read(root: Path, home: Path) -> None:
    with whole_engine(root) as engine:
        engine.say("perft 3").until("8902")
    files = [path for path in home.rglob("*") if path.is_file()]
    fault = injecting("read:error=EIO", into=files)
    bites(fault, "dd", f"if={files[0]}", "of=/dev/null")
    with whole_engine(root, *fault) as engine:
        assert len(strings(engine.say("uci", "perft 3").until("8902"))) == 2  # one is from perft
        assert not plays(engine, "go depth 6")
