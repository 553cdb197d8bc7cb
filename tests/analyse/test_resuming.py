"""Work interrupted at random moments resumes, and its output is the same to the byte."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from engine.jit.kernel import COMPILED
from helpers.client import PYTHAGORAS
from helpers.faults import COLD
from helpers.pgn_corpus import bad, build, good
from helpers.pgn_games import random_game
from helpers.processes import marked

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="analyses in /proc"),
]

GAMES = "games.pgn"
UNREAD = 1
"""The exit status: there are bad games."""

KNOWN = "already saved"

RESULTS = "games.analysed.pgn", "games.analysis.json", "games.html"


@dataclass(frozen=True)
class Work:
    """The command, which can be started repeatedly in a folder of its own."""

    folder: Path
    command: Sequence[str]
    root: Path

    def __post_init__(self) -> None:
        dice = random.Random(1)
        games = [good("game", random_game(dice, dice.randrange(6, 14))) for _ in range(20)]
        few = [sample for sample in bad(dice) if len(sample.text) < 10_000]
        samples = [sample for pair in zip(games, few, strict=False) for sample in pair]
        self.folder.mkdir()
        (self.folder / GAMES).write_bytes(build(GAMES, samples).data)

    @property
    def records(self) -> int:
        """The number of games in the journal."""
        return len(list(self.part.glob("records/*.json")))

    def start(self, *words: str, mark: str = "") -> subprocess.Popen[str]:
        """Start the command with further arguments, in a process group of its own."""
        paths = os.pathsep.join(map(str, (self.root, self.root / "tests")))
        env = os.environ | {"PYTHONPATH": paths, "ANALYSIS_MARK": mark}
        command = [*self.command, str(self.folder / GAMES), *words]
        return subprocess.Popen(
            command, env=env, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def stop(
        self, how: Callable[[int], None], records: int, delay: float = 0, *words: str
    ) -> tuple[int, str]:
        """Stop it by ``how(pid)``, ``delay`` seconds after ``records`` more games were saved.

        Return its exit status and output; assert that no process is left.
        """
        mark, wanted = f"{uuid4()}", self.records + records
        deadline = time.monotonic() + COLD
        with self.start(*words, mark=mark) as process:
            while process.poll() is None and self.records < wanted:
                assert time.monotonic() < deadline
                time.sleep(0.002)
            time.sleep(delay)
            if process.poll() is None:
                how(process.pid)
            _, said = process.communicate(timeout=COLD)
        while marked(mark):
            assert time.monotonic() < deadline, "a process is left"
            time.sleep(0.02)
        return process.returncode, said

    def finish(self, *words: str) -> str:
        """Run the command to its end, and return its output."""
        with self.start(*words) as process:
            _, said = process.communicate(timeout=COLD)
        assert process.returncode == UNREAD
        return said

    @property
    def part(self) -> Path:
        """The partial file that exists until the work is done."""
        return self.folder / "games.analysis.part"

    @property
    def is_done(self) -> bool:
        """Whether all output is written and marked as complete."""
        written = all((self.folder / name).exists() for name in RESULTS)
        return written and not (self.part / "finishing").exists()

    @property
    def written(self) -> list[bytes]:
        """Return the bytes of the output files; assert that no other files are left."""
        paths = [self.folder / name for name in RESULTS]
        assert sorted(self.folder.iterdir()) == sorted([self.folder / GAMES, *paths])
        return [path.read_bytes() for path in paths]


def kill_parent(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def kill_all(pid: int) -> None:
    os.killpg(pid, signal.SIGKILL)


def interrupt_all(pid: int) -> None:
    os.killpg(pid, signal.SIGINT)


WAYS = kill_parent, kill_all


def break_off(work: Work, dice: random.Random, kills: int, longest: float, *words: str) -> None:
    """Kill the work ``kills`` times, up to ``longest`` seconds after a game is saved; finish it.

    If it ends before a kill, it starts from the beginning.
    """
    expected = None
    while kills:
        known = work.records
        records, delay, way = dice.randrange(6), dice.uniform(0, longest), dice.choice(WAYS)
        status, said = work.stop(way, records, delay, *words)
        print(f"{known} known, {way.__name__} at {work.records}: status {status}", flush=True)
        assert known or KNOWN not in said
        assert status in (-signal.SIGKILL, UNREAD)
        kills -= status == -signal.SIGKILL
        if not work.is_done:
            continue
        # A kill during the final clean-up leaves the folder.
        shutil.rmtree(work.part, ignore_errors=True)
        assert expected in (None, work.written)
        expected = work.written
        for name in RESULTS:
            (work.folder / name).unlink()
    known = work.records
    said = work.finish(*words)
    assert (f"({known} of them already saved)" in said) == bool(known)
    assert expected in (None, work.written)


def stand_in(tmp_path: Path, root: Path, name: str) -> Work:
    script = root / "tests" / "helpers" / "stand_in_analysis.py"
    return Work(tmp_path / name, [PYTHAGORAS[0], str(script), "0.005"], root)


def engine(tmp_path: Path, root: Path, name: str, nodes: int = 3000) -> Work:
    options = "--nodes", f"{nodes}", "--hash", "1"
    return Work(tmp_path / name, [*PYTHAGORAS, "analyse", *options], root)


ONE, TWO = ("--jobs", "1"), ("--jobs", "2")


@pytest.mark.external
def test_killed_at_random_moments(root: Path, tmp_path: Path, seed: int) -> None:
    whole, broken = (stand_in(tmp_path, root, name) for name in ("whole", "broken"))
    assert KNOWN not in whole.finish()
    break_off(broken, random.Random(seed), 3, 0.1)
    assert broken.written == whole.written


@pytest.mark.slow
def test_damaged_records_are_made_again(root: Path, tmp_path: Path) -> None:
    whole, broken = (stand_in(tmp_path, root, name) for name in ("whole", "broken"))
    whole.finish()
    broken.stop(kill_all, 6)
    records = sorted(broken.part.glob("records/*.json"))
    records[0].write_bytes(b"")
    records[1].write_bytes(records[1].read_bytes()[:-20])
    (broken.part / "pgn").write_bytes(bytes(100))
    assert f"({len(records) - 2} of them already saved)" in broken.finish()
    assert broken.written == whole.written


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_ctrl_c_and_another_number_of_processes(warm: Path, tmp_path: Path) -> None:
    whole, broken = (engine(tmp_path, warm, name, 500) for name in ("whole", "broken"))
    whole.finish(*ONE)
    status, said = broken.stop(interrupt_all, 12, 0, *TWO)
    assert status == 130
    assert said.splitlines()[-1] == "stopped; run the same command again to resume"
    assert "Traceback" not in said
    known = broken.records
    said = broken.finish(*ONE)
    assert "resuming, some of its games are already analysed" in said
    assert f"({known} of them already saved)" in said
    assert broken.written == whole.written


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_the_engine_killed_at_random_moments(warm: Path, tmp_path: Path, seed: int) -> None:
    """Resume after ten kills with one analysing process, and ten with two."""
    kills = int(os.environ.get("PYTHAGORAS_KILLS", "20"))
    whole = engine(tmp_path, warm, "whole")
    whole.finish(*ONE)
    for jobs in (ONE, TWO):
        broken, dice = engine(tmp_path, warm, "".join(jobs)), random.Random(f"{seed} {jobs}")
        break_off(broken, dice, kills // 2, 3, *jobs)
        assert broken.written == whole.written
