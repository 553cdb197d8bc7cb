"""Closed streams and signals: the process ends, in every state."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.client import PYTHAGORAS, Process, run
from uci.apps.console.signals import ending_at_once

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes and signals"),
]

LONG = 60
"""Seconds in which even a slow machine ends a process that has no work left."""


def hang_up(process: Process, *names: str) -> None:
    """Close the client's ends of the engine's streams ``names``."""
    for name in names:
        stream = getattr(process.popen, name)
        assert stream
        stream.close()
        setattr(process.popen, name, None)


@pytest.mark.slow
@pytest.mark.parametrize("work", ["", "go infinite", "go ponder depth 3", "perft 12"])
@pytest.mark.parametrize("streams", [["stdout"], ["stdin", "stdout"]])
def test_nobody_reads(warm: Path, processes: list[Process], work: str, streams: list[str]) -> None:
    """A closed client is noticed without input or output, even during a silent perft."""
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    process.say("setoption name Move Overhead value 30", work, "isready").until("readyok")
    hang_up(process, *streams)
    assert process.popen.wait(LONG) == 0


@pytest.mark.slow
@pytest.mark.parametrize("streams", [["stdout"], ["stdin", "stdout"]])
def test_nobody_reads_while_it_compiles(
    root: Path, tmp_path: Path, processes: list[Process], streams: list[str]
) -> None:
    process = Process(root, XDG_CACHE_HOME=str(tmp_path)).say("uci", "go depth 12")
    processes.append(process)
    process.until("info string compiling")
    hang_up(process, *streams)
    assert process.popen.wait(LONG) == 0


@pytest.mark.parametrize("words", ["perft 12", "go depth 60"])
def test_nobody_reads_what_a_shell_asked_for(
    warm: Path, processes: list[Process], words: str
) -> None:
    process = Process(warm, *words.split())
    processes.append(process)
    hang_up(process, "stdin", "stdout")
    assert process.popen.wait(LONG) == 0


@pytest.mark.slow
def test_what_somebody_reads_is_awaited(warm: Path) -> None:
    assert run(warm, given="perft 5\n").stdout.splitlines()[-1] == "4865609"
    assert run(warm, given="go depth 9\n").stdout.splitlines()[-1].startswith("bestmove")


@pytest.mark.slow
@pytest.mark.parametrize("names", [["SIGHUP"], ["SIGTERM", "SIGHUP"], ["SIGHUP", "SIGHUP"]])
@pytest.mark.parametrize("work", ["", "go infinite", "perft 12"])
def test_told_to_end(warm: Path, processes: list[Process], names: list[str], work: str) -> None:
    process = Process(warm).say("isready", work, "isready")
    processes.append(process)
    process.until("readyok")
    for name in names:
        process.popen.send_signal(signal.Signals[name])
    assert process.popen.wait(LONG) == 0
    assert process.popen.stderr
    assert process.popen.stderr.read() == ""


def test_a_signal_that_does_not_interrupt_the_wait(root: Path, processes: list[Process]) -> None:
    """A signal that another thread receives ends it, like one that comes just before the wait."""
    code = """
import signal, sys, threading, time
from uci.cli import main
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
main.Loader.start = lambda self: None
sys.exit(main.main([]))
"""
    process = Process(root, command=[PYTHAGORAS[0], "-c", code]).say("uci")
    processes.append(process)
    process.until("uciok")
    time.sleep(0.2)
    process.popen.send_signal(signal.SIGTERM)
    assert process.popen.wait(LONG) == 0


@pytest.mark.slow
def test_told_to_end_while_warm_compiles(root: Path, processes: list[Process]) -> None:
    """The compiler does not react to signals for seconds; this one not for minutes."""
    code = """
import hashlib, sys
from uci.cli import main
new = main.Loader
def load(notice, progress):
    progress(0, 1, "long")
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
main.Loader = lambda **options: new(load, **options)
sys.exit(main.main(["warm"]))
"""
    process = Process(root, command=[PYTHAGORAS[0], "-c", code])
    processes.append(process)
    assert process.until("[") == ["[ 0/1] long"]
    time.sleep(0.5)
    process.popen.send_signal(signal.SIGTERM)
    assert process.popen.wait(LONG) == 128 + signal.SIGTERM


def test_nohup_is_obeyed(root: Path, processes: list[Process]) -> None:
    """A process that was started with SIGHUP ignored outlives its terminal."""
    process = Process(root, command=["nohup", *PYTHAGORAS]).say("uci")
    processes.append(process)
    process.until("uciok")
    process.popen.send_signal(signal.SIGHUP)
    said, _ = process.popen.communicate("d\nquit\n", LONG)
    assert "Fen: " in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_compiled_to_the_end_for_nobody(number: signal.Signals) -> None:
    """It ends in the middle of compiling, where no exception and no exit handler runs."""
    script = (
        "import atexit, time\n"
        "from uci.apps.console.signals import ending_at_once\n"
        "atexit.register(print, 'an exit handler')\n"
        "with ending_at_once():\n"
        "    print('compiling', flush=True)\n"
        f"    for _ in range({LONG * 100}):\n"  # a signal just before a sleep is heard after it
        "        time.sleep(0.01)\n"
    )
    words = [sys.executable, "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"compiling\n"
        process.send_signal(number)
        assert process.communicate(timeout=LONG) == (b"", b"")
    assert process.returncode == 128 + number


def test_signals_are_heard_as_before_once_all_is_compiled() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with ending_at_once():
        assert signal.getsignal(signal.SIGINT) not in before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
