"""Compare speed with other engines in one run: nodes per second, and perft.

Usage: python -m scripts.speed [--ours CMD] [--against stockfish,glaurung] [--seconds 3]. On an
idle machine; absolute figures say little, the ratios are what counts. See README.md here.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from time import perf_counter

import chess
import chess.engine

POSITIONS = (
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/ppp2ppp/2n1bn2/2b1p3/3pP3/3P1NPP/PPP1NPB1/R1BQ1RK1 b - - 1 9",
    "2rq1rk1/pb2bppp/1pn1pn2/8/2BP4/P1N1BN2/1P2QPPP/R2R2K1 w - - 4 14",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
)
KIWIPETE = POSITIONS[1]
PERFTS = ((chess.STARTING_FEN, 6), (KIWIPETE, 5))
ROUNDS = 3


@dataclass
class Entrant:
    """An engine, and the nodes per second that it reached, by position and round."""

    name: str
    command: str
    options: dict[str, str | int | bool] = field(default_factory=dict)
    speeds: list[list[float]] = field(default_factory=lambda: [[] for _ in POSITIONS])

    def search(self, seconds: float) -> None:
        """Search every position once, each in a new game."""
        with chess.engine.SimpleEngine.popen_uci(self.command, timeout=60) as engine:
            known = {name: value for name, value in self.options.items() if name in engine.options}
            engine.configure(known)
            for fen, speeds in zip(POSITIONS, self.speeds, strict=True):
                limit = chess.engine.Limit(time=seconds)
                result = engine.play(
                    chess.Board(fen), limit, game=object(), info=chess.engine.INFO_ALL
                )
                speeds.append(result.info["nodes"] / max(result.info["time"], 0.001))

    @property
    def nps(self) -> float:
        """Geometric mean over the positions of the median over the rounds."""
        medians = [statistics.median(speeds) for speeds in self.speeds]
        return float(prod(medians) ** (1 / len(medians)))


ONE_THREAD: dict[str, str | int | bool] = {
    "Threads": 1,
    "Number of Threads": 1,
    "Hash": 16,
    "OwnBook": False,
}


def find(command: str) -> str:
    """Return the path of an engine; exits with a line when there is none."""
    path = shutil.which(command) or shutil.which(command, path="/usr/games")
    if path is None:
        sys.exit(f"speed: no {command} on the PATH")
    return path


def seconds_of(arguments: list[str], text: str = "") -> float:
    """Return how long a process takes that reads ``text``."""
    start = perf_counter()
    subprocess.run(arguments, input=text, text=True, capture_output=True, check=True)
    return perf_counter() - start


def perft_seconds(command: str, native: bool, fen: str, depth: int) -> float:
    """Return how long a perft takes, without what the process takes at depth 1."""

    def run(plies: int) -> float:
        if native:
            return seconds_of([command, "perft", str(plies), "--fen", fen])
        return seconds_of([command], f"position fen {fen}\ngo perft {plies}\nquit\n")

    return run(depth) - run(1)


def main() -> None:
    """Measure, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    ours = Path(sys.executable).with_name("pythagoras")
    parser.add_argument("--ours", default=str(ours), help="our command")
    parser.add_argument("--against", default="stockfish,glaurung", help="UCI engines, by commas")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each search")
    options = parser.parse_args()
    us = Entrant("pythagoras", find(options.ours), ONE_THREAD)
    others = [Entrant(name, find(name), ONE_THREAD) for name in options.against.split(",")]
    for number in range(ROUNDS):
        for entrant in (us, *others):
            print(f"round {number + 1} of {ROUNDS}: {entrant.name}", flush=True)
            entrant.search(options.seconds)
    for entrant in (us, *others):
        print(f"{entrant.name:12} {entrant.nps:12,.0f} nps   ratio {us.nps / entrant.nps:.2f}")
    if stockfish := next((e for e in others if e.name == "stockfish"), None):
        for fen, depth in PERFTS:
            pairs = [
                [perft_seconds(e.command, e is us, fen, depth) for e in (us, stockfish)]
                for _ in range(ROUNDS)
            ]
            our_time, their_time = (statistics.median(times) for times in zip(*pairs, strict=True))
            print(f"perft {depth} {fen}: {their_time / our_time:.2f} of stockfish's speed")


if __name__ == "__main__":
    main()
