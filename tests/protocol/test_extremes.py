"""Extreme numbers from a client: the engine answers as usual, and continues."""

import threading
from pathlib import Path

import pytest

from helpers.client import Process
from uci.protocol.commands import GO_NUMBERS, MAX_TIME
from uci.protocol.options import OPTIONS

NUMBERS = ["0", "-1", *map(str, (2**31, 2**63, 10**14, 10**30, -(2**63), -(10**30))), "9" * 5000]
SPINS = [option for option in OPTIONS if option.kind == "spin"]


def test_the_longest_time_fits_every_timer() -> None:
    windows = 0xFFFFFFFE / 1000
    assert min(threading.TIMEOUT_MAX, windows) > MAX_TIME / 1000


@pytest.fixture
def engine(warm: Path, processes: list[Process]) -> Process:
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    return process


def told(engine: Process, *lines: str) -> list[str]:
    """Return the output after these lines and a ``stop``."""
    engine.say(*lines, "stop", "eval")
    heard = engine.until("info string evaluation")
    return heard[: next(n for n, line in enumerate(heard) if line.startswith("Piece values"))]


def ends_well(engine: Process) -> None:
    assert told(engine, "go depth 3")[-1].startswith("bestmove ")
    status, _, err = engine.say("quit").end()
    assert (status, err) == (0, "")


@pytest.mark.slow
def test_limits(engine: Process) -> None:
    for word, minimum in GO_NUMBERS.items():
        for number in NUMBERS:
            answer = told(engine, f"go {word} {number}")
            if minimum is not None and int(number[:20]) < minimum:
                reason, move = answer
                assert reason.endswith(f"{number} is below the minimum of {minimum}")
                assert move == "bestmove (none)"
            else:
                assert sum(line.startswith("bestmove ") for line in answer) == 1, (word, number)
                assert not any("error" in line for line in answer)
    answer = told(engine, "debug on", f"go movetime {10**30}")
    assert f"info string soft limit None ms, hard limit {MAX_TIME - 20} ms" in answer
    ends_well(engine)


@pytest.mark.slow
def test_options(engine: Process) -> None:
    for option in SPINS:
        for number in NUMBERS:
            answer = told(engine, f"setoption name {option.name} value {number}")
            legal = number in ("0", "-1") and option.low <= int(number)
            assert len(answer) == (not legal), answer
            assert legal or f"is out of range {option.low} to {option.high}" in answer[0]
    ends_well(engine)


@pytest.mark.slow
def test_tasks(engine: Process) -> None:
    assert told(engine, "perft 0")[-1] == "1"
    for number in NUMBERS[1:]:
        (line,) = told(engine, f"perft {number}")
        assert " is above the maximum of 100" in line or " is below the minimum of 0" in line
        (line,) = told(engine, f"perft 3 hash {number}")
        assert " is below the minimum of 0" in line or "not enough memory for" in line
        answer = told(engine, f"bench {number}")
        assert not any("nps" in line or "error" in line for line in answer)
    ends_well(engine)
