"""Prove the mates of a suite, check each proof, and compare the time with another engine's.

Usage: python -m scripts.measure.prove_suite SUITE.epd [--longest N] [--engine COMMAND]

SUITE.epd has a position in a line with ``bm #N``, negative where the side to move is mated. Each
line printed is a JSON object: seconds of processor time of the proof, seconds of its check, and of
the engine's ``go mate N``, where it found one.
"""

import argparse
import json
import os
import random
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import chess
import chess.engine

from uci.chess_io import certificate_check
from uci.session.prover import Stopped, prove
from uci.session.worker import StopEvent

MATE = re.compile(r"\bbm #(-?\d+);")


def problems(path: Path, longest: int) -> Iterator[tuple[str, int]]:
    """Yield the positions of a suite with their mates of at most ``longest`` moves."""
    for line in path.read_text(encoding="utf-8").splitlines():
        found = MATE.search(line)
        if found and 0 < abs(int(found[1])) <= longest:
            yield line[: found.start()].strip(), int(found[1])


def proof(fen: str, mate: int, seconds: float, hash_mb: int) -> dict[str, object]:
    """Prove a mate within ``seconds``, and check it; return what it took."""
    stop = StopEvent()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    begun, started = time.process_time(), time.perf_counter()
    try:
        certificate = prove(chess.Board(fen), mate, hash_mb, stop)
    except Stopped:
        return {"proof": "stopped", "cpu": time.process_time() - begun}
    finally:
        timer.cancel()
    cpu, wall = time.process_time() - begun, time.perf_counter() - started
    if certificate is None:
        return {"proof": "no mate", "cpu": cpu, "wall": wall}
    data = certificate.to_json().encode()
    begun = time.process_time()
    proved = certificate_check.read(data)
    return {
        "proof": "valid", "mate": proved.moves, "cpu": cpu, "wall": wall,
        "check": time.process_time() - begun, "positions": proved.positions,
        "replies": proved.replies, "bytes": len(data),
    }  # fmt: skip


def search(command: str, fen: str, mate: int, nodes: int, hash_mb: int) -> float | None:
    """Return the seconds of processor time after which ``go mate`` found that mate.

    None if it did not within ``nodes``.
    """
    with closing(chess.engine.SimpleEngine.popen_uci(command)) as engine:
        engine.configure({"Hash": hash_mb, "Threads": 1})
        engine.ping()
        started = _seconds_of(engine.transport.get_pid())
        limit, seconds = chess.engine.Limit(mate=abs(mate), nodes=nodes), None
        with engine.analysis(chess.Board(fen), limit) as analysis:
            for info in analysis:
                score = info.get("score")
                found = score.relative.mate() if score else None
                bound = info.get("lowerbound") or info.get("upperbound")
                exact = found if found and not bound else 0
                if seconds is None and exact * mate > 0 and abs(exact) <= abs(mate):
                    seconds = _seconds_of(engine.transport.get_pid()) - started
                    analysis.stop()
        engine.quit()
    return seconds


def _seconds_of(process: int) -> float:
    """Return the processor time of a process so far, on Linux to a hundredth of a second."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Run the program; return the exit status, 1 where a mate was not proved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path, metavar="SUITE.epd")
    parser.add_argument("--longest", type=int, default=5, help="longest mate, in moves (5)")
    parser.add_argument(
        "--seconds", type=float, default=60, help="for the proof of a position (60)"
    )
    parser.add_argument("--nodes", type=int, default=20_000_000, help="of the engine (20 million)")
    parser.add_argument("--hash", type=int, default=16, help="MiB of the table (16)")
    parser.add_argument("--sample", type=int, help="number of positions, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample and the order (1)")
    parser.add_argument("--engine", help="command of another engine")
    options = parser.parse_args()
    chosen = [*problems(options.suite, options.longest)]
    random.Random(options.seed).shuffle(chosen)
    failed = 0
    # Load the kernels, which is not timed.
    prove(chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"), 2)
    for fen, mate in chosen[: options.sample]:
        result = proof(fen, mate, options.seconds, options.hash)
        failed += result["proof"] != "valid"
        if options.engine:
            result["engine"] = search(options.engine, fen, mate, options.nodes, options.hash)
        print(json.dumps({"fen": fen, "claimed": mate, **result}), flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
