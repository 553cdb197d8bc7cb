"""The engine in each of its states: loading, idle, searching and so on."""

import time
from pathlib import Path

from helpers.client import Process

LONG = 60.0
"""Seconds in which even a slow machine ends a process that has no work left."""

PROTOCOL = ("new", "compiling", "idle", "searching", "pondering")
"""The states of a UCI session; the others are commands of a shell."""

SHELL = ("datagen", "bench", "go")


def engine_in(state: str, warm: Path, place: Path, processes: list[Process]) -> Process:
    """Start an engine that keeps its files in ``place``, and bring it into ``state``."""
    games = str(place / "games")
    words = {
        "datagen": ["datagen", games, "--games", "100000", "--nodes", "500", "--threads", "1"],
        "bench": ["bench"],
        "go": ["go", "infinite"],
    }.get(state, [])
    cold = {"XDG_CACHE_HOME": str(place / "cache")} if state == "compiling" else {}
    process = Process(warm, *words, **cold)
    processes.append(process)
    match state:
        case "new":  # its signals are set up when it answers
            process.say("nonsense").until("info string")
        case "compiling":
            process.say("uci").until("info string compiling")
        case "idle":
            process.say("isready").until("readyok")
        case "searching":
            process.say("isready", "go infinite").until("info depth 6")
        case "pondering":
            process.say("isready", "go ponder wtime 1000 btime 1000").until("info depth 6")
        case "datagen":
            end = time.perf_counter() + LONG
            while not (place / "games").exists() or (place / "games").stat().st_size < 1000:
                assert time.perf_counter() < end
                time.sleep(0.05)
        case "bench":
            process.until(" 1/")
        case "go":
            process.until("info depth 6")
    return process


def whole(output: str, answers: int) -> bool:
    """Return whether ``output`` ends in a complete line and has at most so many ``answers``."""
    lines = output.splitlines()
    best = [line for line in lines if line.startswith("bestmove")]
    return (not output or output.endswith("\n")) and len(best) <= answers
