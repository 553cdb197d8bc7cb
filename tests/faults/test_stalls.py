"""Stalls: one core, a suspended process, a client that does not read, a starved machine."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import chess
import pytest

from helpers.client import PYTHAGORAS, Process
from helpers.faults import need
from helpers.states import LONG

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc"),
    pytest.mark.external,
]


MANY = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
"""A position with 218 moves."""


def state_of(process: Process) -> str:
    """Return the letter of a process's state in /proc."""
    return Path(f"/proc/{process.popen.pid}/stat").read_text().rsplit(") ")[1][0]


def memory_of(process: Process) -> int:
    """Return the peak memory of a process, in bytes."""
    status = Path(f"/proc/{process.popen.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def test_one_core(warm: Path, processes: list[Process]) -> None:
    """With four threads on one core, commands during a search are answered, and `stop` ends it."""
    need("taskset")
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    counted = [*one, sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"]
    assert subprocess.check_output(counted) == b"1\n"
    process = Process(warm, command=[*one, *PYTHAGORAS])
    processes.append(process)
    process.say("setoption name Threads value 4", "isready", "go infinite").until("info depth")
    for _ in range(3):
        process.say("isready").until("readyok")
    process.say("stop").until("bestmove")
    process.say("go movetime 300").until("bestmove")
    assert process.say("quit").end() == (0, "", "")


@pytest.mark.parametrize(
    ("seconds", "plies"), [(1.0, 4), pytest.param(5.0, 300, marks=pytest.mark.long)]
)
def test_stopped_and_continued(
    seconds: float, plies: int, warm: Path, processes: list[Process]
) -> None:
    """After a suspension, as of a machine that sleeps, an overdue move comes, one for each `go`."""
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    board, stops = chess.Board(), range(0, plies, max(2, plies // 12))
    while not board.is_game_over() and board.ply() < plies:
        moves = " ".join(move.uci() for move in board.move_stack)
        process.say(f"position startpos moves {moves}")
        if board.ply() in stops:
            process.say(f"go movetime {int(seconds * 900)}")
            os.kill(process.popen.pid, signal.SIGSTOP)
            while state_of(process) != "T":
                time.sleep(0.01)
            time.sleep(seconds)
            assert state_of(process) == "T", "it bites"
            os.kill(process.popen.pid, signal.SIGCONT)
        else:
            process.say("go movetime 20")
        lines = process.until("bestmove")
        move = chess.Move.from_uci(lines[-1].split()[1])
        assert move in board.legal_moves
        board.push(move)
    assert process.say("isready").until("readyok") == ["readyok"]
    assert process.say("quit").end() == (0, "", "")


def test_a_client_that_does_not_read(warm: Path, processes: list[Process]) -> None:
    """When the output pipe is full, no line of a search is lost, and `stop` still works."""
    process = Process(warm).say("setoption name MultiPV value 256", "isready")
    processes.append(process)
    process.until("readyok")
    process.say(f"position fen {MANY}", "go infinite")
    assert process.popen.stdout
    pending = process.popen.stdout.fileno()
    end, full = time.perf_counter() + LONG, False
    while not full:  # until the pipe is full, and its writer sleeps
        assert time.perf_counter() < end
        time.sleep(0.5)
        full = bytes_waiting(pending) > 60_000
    process.say("isready", "stop", "isready")
    time.sleep(1)
    memory = memory_of(process)
    lines = process.until("bestmove")
    assert all(line.startswith(("info ", "readyok", "bestmove")) for line in lines)
    assert len(lines) > 256
    time.sleep(0.2)
    assert process.say("d").until("Key")
    assert memory_of(process) - memory < 50_000_000
    process.say("setoption name MultiPV value 1", "go depth 4").until("bestmove")
    assert process.say("quit").end() == (0, "", "")


def bytes_waiting(descriptor: int) -> int:
    """Return how many bytes a pipe holds."""
    import array
    import fcntl
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


@pytest.mark.parametrize("megabytes", [10, pytest.param(100, marks=pytest.mark.long)])
def test_a_line_byte_by_byte_and_one_without_an_end(
    megabytes: int, warm: Path, processes: list[Process]
) -> None:
    """An endless line takes bounded memory, and the line after it is read."""
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    assert process.popen.stdin
    raw = process.popen.stdin.buffer
    for byte in b"position startpos moves e2e4\nd\n":
        raw.write(bytes([byte]))
        raw.flush()
        time.sleep(0.001)
    assert any("4P3" in line for line in process.until("Key"))
    before, block = memory_of(process), b"x" * 1_000_000
    for _ in range(megabytes):
        raw.write(block)
    raw.write(b"\nisready\n")
    raw.flush()
    answer = process.until("readyok")
    assert len(answer) == 2
    assert "ignored" in answer[0]
    assert memory_of(process) - before < 8_000_000
    assert process.say("go depth 3").until("bestmove")
    raw.write(b"go infinite" + b" " * 100)  # an incomplete line is not a command
    raw.flush()
    assert process.say("", "stop", "isready").until("readyok")
    assert process.say("quit").end()[0] == 0


@pytest.mark.alone
def test_starved(warm: Path, processes: list[Process]) -> None:
    """With a tenth of the time of every core it is late, but plays and obeys."""
    need("nice")
    starved = ["nice", "-n", "10"]
    niceness = min(19, os.nice(0) + 10)
    assert subprocess.check_output([*starved, "nice"], text=True) == f"{niceness}\n"
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in os.sched_getaffinity(0)]
    guard = threading.Timer(LONG, lambda: [each.kill() for each in busy])
    guard.start()
    try:
        process = Process(warm, command=[*starved, *PYTHAGORAS]).say("uci")
        processes.append(process)
        process.until("uciok")
        process.say("go movetime 200").until("bestmove")
        process.say("go infinite", "stop").until("bestmove")
        assert process.say("quit").end() == (0, "", "")
    finally:
        guard.cancel()
        for each in busy:
            each.kill()
            each.wait()
