"""A client that has gone, or the word to end: no process outlives them, whatever it does."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from helpers.client import ENVIRONMENT, PYTHAGORAS, Process, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes and signals")

LONG = 60
"""Seconds in which even a slow machine ends a process that does not go on by itself."""


def hang_up(process: Process, *names: str) -> None:
    """Close the client's ends of the engine's streams ``names``."""
    for name in names:
        stream = getattr(process.popen, name)
        assert stream
        stream.close()
        setattr(process.popen, name, None)


@pytest.mark.parametrize("work", ["", "go infinite", "go ponder depth 3", "perft 12"])
@pytest.mark.parametrize("streams", [["stdout"], ["stdin", "stdout"]])
def test_nobody_reads(warm: Path, processes: list[Process], work: str, streams: list[str]) -> None:
    """It is noticed without a word from either side, though a perft has nothing to say."""
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    process.say("setoption name Move Overhead value 30", work, "isready").until("readyok")
    hang_up(process, *streams)
    assert process.popen.wait(LONG) == 0


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


def test_what_somebody_reads_is_awaited(warm: Path) -> None:
    assert run(warm, given="perft 5\n").stdout.splitlines()[-1] == "4865609"
    assert run(warm, given="go depth 9\n").stdout.splitlines()[-1].startswith("bestmove")


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


def test_a_signal_that_does_not_interrupt_the_wait(root: Path) -> None:
    """One that another thread receives, as one that comes just before the wait."""
    code = """
import signal, sys, threading, time
from uci.cli import command
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
command.Loader.start = lambda self: None
sys.exit(command.main([]))
"""
    with subprocess.Popen(
        [PYTHAGORAS[0], "-c", code], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"uci\n")
        process.stdin.flush()
        while process.stdout.readline() != b"uciok\n":
            pass
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(LONG) == 0
        finally:
            process.kill()


def test_told_to_end_while_warm_compiles(root: Path) -> None:
    """The compiler is deaf for seconds; this one for minutes."""
    code = """
import hashlib, sys
from uci.cli import command
from uci.session import backend
def load(notice, progress):
    progress(0, 1, "long")
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
backend.load = load
sys.exit(command.main(["warm"]))
"""
    with subprocess.Popen(
        [PYTHAGORAS[0], "-c", code], cwd=root, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "[ 0/1] long\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(LONG) == 0
        finally:
            process.kill()


def test_nohup_is_obeyed(root: Path) -> None:
    """What was started with SIGHUP ignored outlives its terminal."""
    with subprocess.Popen(
        ["nohup", *PYTHAGORAS], cwd=root, env=ENVIRONMENT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        print("uci", file=process.stdin, flush=True)
        while process.stdout.readline() != "uciok\n":
            pass
        process.send_signal(signal.SIGHUP)
        said, _ = process.communicate("d\nquit\n", LONG)
    assert "Fen: " in said
