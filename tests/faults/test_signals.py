"""Signals, and streams that end or are missing, in each state: it ends and leaves no file."""

import contextlib
import itertools
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from helpers.client import ENVIRONMENT, PYTHAGORAS, Process, run
from helpers.states import LONG, PROTOCOL, SHELL, engine_in, whole
from helpers.timing import PATIENCE
from scripts.measure.uci_client import EngineTerminated

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and streams"),
    pytest.mark.external,
]

long = pytest.mark.long

BROKEN_OFF = "bench", "go"
"""Shell commands that lose their work when interrupted; `datagen` keeps all of it."""


def told_to_end(process: Process, name: str, state: str) -> None:
    """Send the signal, and assert that it ends at once, with complete lines and no message."""
    process.popen.send_signal(signal.Signals[name])
    out, err = process.popen.communicate(timeout=LONG)
    status = 128 + signal.Signals[name] if state in BROKEN_OFF else 0
    assert (process.popen.returncode, err) == (status, "")
    assert whole(out, 1)


def bites(name: str) -> None:
    """Assert that the signal ends a process that does not handle it."""
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        sleeper.send_signal(signal.Signals[name])
        assert sleeper.wait(PATIENCE) == -signal.Signals[name]


@pytest.mark.parametrize("state", [*PROTOCOL, *SHELL])
def test_sigterm(state: str, warm: Path, tmp_path: Path, processes: list[Process]) -> None:
    bites("SIGTERM")
    told_to_end(engine_in(state, warm, tmp_path, processes), "SIGTERM", state)
    if state == "datagen":  # its file is complete up to there, and the next run resumes
        assert run(warm, "datagen", str(tmp_path / "games"), "--stats").returncode == 0


@pytest.mark.parametrize(
    "state",
    ["compiling", "pondering", "datagen", *(pytest.param(s, marks=long) for s in ("new", "bench"))],
)
def test_sighup(state: str, warm: Path, tmp_path: Path, processes: list[Process]) -> None:
    """SIGHUP ends it while idle and while searching: see tests/cli/test_exit_signals.py."""
    bites("SIGHUP")
    told_to_end(engine_in(state, warm, tmp_path, processes), "SIGHUP", state)


def test_sigpipe(warm: Path, tmp_path: Path, processes: list[Process]) -> None:
    """SIGPIPE itself does not end it; a closed output does, in each state.

    For the other states see tests/cli/test_exit_signals.py.
    """
    bites("SIGPIPE")
    living = engine_in("searching", warm, tmp_path, processes)
    living.popen.send_signal(signal.SIGPIPE)
    assert living.say("stop").until("bestmove")
    for state in ("new", "bench"):
        process = engine_in(state, warm, tmp_path, processes)
        assert process.popen.stdout
        process.popen.stdout.close()
        process.popen.stdout = None
        if state == "new":
            with contextlib.suppress(EngineTerminated):  # it may already have ended
                process.say("uci")
        _, err = process.popen.communicate(timeout=LONG)
        assert err == "", state
    games = tmp_path / "games"
    words = ["datagen", str(games), "--games", "4", "--nodes", "200", "--threads", "1"]
    process = Process(warm, *words)  # notices a closed pipe only when it prints, which is rare
    processes.append(process)
    assert process.popen.stdout
    process.popen.stdout.close()
    process.popen.stdout = None
    _, err = process.popen.communicate(timeout=LONG)
    assert err == ""
    assert re.search(r"games +4\b", run(warm, "datagen", str(games), "--stats").stdout)


@pytest.mark.parametrize("state", PROTOCOL)
def test_the_input_ends(state: str, warm: Path, tmp_path: Path, processes: list[Process]) -> None:
    """At the end of input an infinite search is answered, once."""
    process = engine_in(state, warm, tmp_path, processes)
    out, err = process.popen.communicate(timeout=LONG)
    assert (process.popen.returncode, err) == (0, "")
    best = [line for line in out.splitlines() if line.startswith("bestmove ")]
    assert len(best) == (state in ("searching", "pondering"))


def test_an_input_that_cannot_be_read_is_at_its_end(warm: Path, tmp_path: Path) -> None:
    """An unreadable standard input, as nohup leaves it, counts as ended."""
    with (tmp_path / "file").open("wb") as unreadable:
        done = subprocess.run(
            PYTHAGORAS, cwd=warm, stdin=unreadable, capture_output=True, timeout=LONG, check=False
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("counts", [(1, 3), pytest.param((2,), marks=long)])
def test_started_with_closed_streams(counts: tuple[int, ...], warm: Path, tmp_path: Path) -> None:
    """With any streams closed: it plays if its output is open, and ends with its input."""
    given, log = "uci\nisready\ngo depth 3\n", tmp_path / "log"
    given = f"setoption name Debug Log File value {log}\n{given}"
    for count in counts:
        for closed in itertools.combinations(("<&-", ">&-", "2>&-"), count):
            shut = f'exec "$0" "$@" {" ".join(closed)}'

            def shell(
                *words: str, given: str = "", shut: str = shut
            ) -> subprocess.CompletedProcess[str]:
                return subprocess.run(
                    ["sh", "-c", shut, *words], cwd=warm, env=ENVIRONMENT, input=given,
                    capture_output=True, text=True, timeout=LONG, check=False,
                )  # fmt: skip

            tried = "import os, sys; sys.exit(sum(2**n for n in range(3) if shut(n)))"
            tried = f"def shut(n):\n try: os.fstat(n)\n except OSError: return 1\n{tried}"
            bits = sum({"<&-": 1, ">&-": 2, "2>&-": 4}[each] for each in closed)
            assert shell(PYTHAGORAS[0], "-c", f"import os\n{tried}").returncode == bits, "it bites"

            log.unlink(missing_ok=True)
            ended = shell(*PYTHAGORAS, given=given)
            assert (ended.returncode, ended.stderr) == (0, ""), closed
            heard = "<&-" not in closed
            told = heard and ">&-" not in closed
            assert (ended.stdout.splitlines() or [""])[-1].startswith("bestmove") == told
            if heard:  # nothing but our own lines went to the file
                lines = log.read_text().splitlines()
                assert lines[-1].split(" ", 3)[3].startswith("bestmove")
                assert {line[23:26] for line in lines} <= {" < ", " > "}
            wrong = shell(*PYTHAGORAS, "go", "depth", "x")
            assert (wrong.returncode, wrong.stdout) == (2, "")
            assert len(wrong.stderr.splitlines()) == ("2>&-" not in closed)
