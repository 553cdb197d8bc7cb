"""Compare speeds in one run: nodes per second, threads and perft, as ratios.

Usage: python -m scripts.measure.bench_speed [--base REV,REV] [--against NAME,NAME] [--threads N] …,
on an idle machine. The working tree alternates with older revisions and with engines on the PATH,
since absolute figures depend on the machine. See README.md in `scripts`.
"""

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter

import chess
import chess.engine

from scripts.match.builds import MatchError, build
from scripts.match.command_line import command_line
from scripts.match.pgn import OUR_NAME
from scripts.match.runner import find_engine

POSITIONS = (
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/ppp2ppp/2n1bn2/2b1p3/3pP3/3P1NPP/PPP1NPB1/R1BQ1RK1 b - - 1 9",
    "2rq1rk1/pb2bppp/1pn1pn2/8/2BP4/P1N1BN2/1P2QPPP/R2R2K1 w - - 4 14",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
)
ROUNDS = 3
BENCHES = 5
PERFT_DEPTH = 7

ONE_THREAD: dict[str, str | int | bool] = {
    "Threads": 1,
    "Number of Threads": 1,
    "Hash": 16,
    "OwnBook": False,
}


@dataclass
class MeasuredEngine:
    """An engine, and its nodes per second by position and round."""

    name: str
    command: Sequence[str]
    speeds: list[list[float]] = field(default_factory=lambda: [[] for _ in POSITIONS])

    def search(self, seconds: float) -> None:
        """Search every position once, each in a new game."""
        with chess.engine.SimpleEngine.popen_uci(list(self.command), timeout=120) as engine:
            known = {name: value for name, value in ONE_THREAD.items() if name in engine.options}
            engine.configure(known)
            for fen, speeds in zip(POSITIONS, self.speeds, strict=True):
                limit = chess.engine.Limit(time=seconds)
                result = engine.play(
                    chess.Board(fen), limit, game=object(), info=chess.engine.INFO_ALL
                )
                speeds.append(result.info["nodes"] / max(result.info["time"], 0.001))

    @property
    def nps(self) -> float:
        """The geometric mean over the positions of the median over the rounds."""
        return statistics.geometric_mean(map(statistics.median, self.speeds))


def measured_engines(base: Sequence[str], against: Sequence[str]) -> list[MeasuredEngine]:
    """Return the working tree, older revisions and other engines. Raises `MatchError`."""
    found = [MeasuredEngine(OUR_NAME, [str(build(None).command)])]
    found += [MeasuredEngine(revision, [str(build(revision).command)]) for revision in base]
    for name in against:
        path = find_engine(name)
        if path is None:
            raise MatchError(f"{name} is not on the PATH")
        found.append(MeasuredEngine(name, [path, *(["--uci"] if name == "gnuchess" else [])]))
    return found


def nodes_per_second(runners: Sequence[MeasuredEngine], seconds: float) -> Iterator[str]:
    """Let all engines search alternately, and yield a line for each."""
    for number in range(ROUNDS):
        for entrant in runners:
            print(f"round {number + 1} of {ROUNDS}: {entrant.name}", file=sys.stderr)
            entrant.search(seconds)
    for entrant in runners:
        ratio = runners[0].nps / entrant.nps
        yield f"{entrant.name:16} {entrant.nps:12,.0f} nps {ratio:6.2f}"


@dataclass
class BenchRuns:
    """Results of benches: the nodes per second of all that ran at once, and the seconds of one."""

    speeds: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def add(self, outputs: Sequence[str]) -> None:
        """Add the output of processes that ran at the same time."""
        counts = [output.splitlines()[-1].split() for output in outputs]
        self.speeds.append(sum(float(nps) for _, _, nps, _ in counts))
        nodes, _, nps, _ = counts[0]
        self.times.append(int(nodes) / int(nps))

    @property
    def nps(self) -> float:
        """The median."""
        return statistics.median(self.speeds)

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(self.times)


def threads_against_one(command: str, threads: int) -> Iterator[str]:
    """Run the bench alternately with one thread, with several, and in as many processes at once.

    Yield the ratios to one thread. The processes' speed is the maximum that the machine allows.
    """
    alone, together, apart = BenchRuns(), BenchRuns(), BenchRuns()
    for _ in range(BENCHES):
        alone.add(_outputs([command, "bench", "--threads", "1"], 1))
        together.add(_outputs([command, "bench", "--threads", str(threads)], 1))
        apart.add(_outputs([command, "bench", "--threads", "1"], threads))
    faster, sooner = together.nps / alone.nps, alone.seconds / together.seconds
    yield f"{threads} threads: {faster:.2f} × the nodes per second, {sooner:.2f} × to depth (bench)"
    yield f"{threads} processes: {apart.nps / alone.nps:.2f} × the nodes per second"


def perft(command: str, stockfish: str | None, threads: int) -> Iterator[str]:
    """Count the leaves from the start alternately, and yield our speed relative to Stockfish's."""

    def ours(count: int) -> Callable[[int], float]:
        return lambda depth: _seconds([command, "perft", str(depth), "--threads", str(count)])

    rivals = {"one thread": ours(1), f"{threads} threads": ours(threads)}
    if stockfish is not None:
        path = stockfish
        rivals["stockfish"] = lambda depth: _seconds([path], f"go perft {depth}\nquit\n")
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(ROUNDS):
        for name, run in rivals.items():
            times[name].append(run(PERFT_DEPTH) - run(1))
    medians = {name: statistics.median(spent) for name, spent in times.items()}
    for name, spent in medians.items():
        ratio = f"{medians['stockfish'] / spent:6.2f} of Stockfish's speed" if stockfish else ""
        yield f"perft {PERFT_DEPTH}, {name:12} {spent:8.2f} s {ratio}"


def _outputs(arguments: Sequence[str], count: int) -> list[str]:
    """Return the outputs of ``count`` processes that run at once."""
    with ThreadPoolExecutor(count) as pool:
        runs = [pool.submit(subprocess.check_output, arguments, text=True) for _ in range(count)]
        return [run.result() for run in runs]


def _seconds(arguments: Sequence[str], text: str = "") -> float:
    """Return the seconds of a process whose input is ``text``."""
    start = perf_counter()
    subprocess.run(arguments, input=text, text=True, capture_output=True, check=True)
    return perf_counter() - start


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


@command_line("bench_speed")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the ratios; return the exit status."""
    parser = argparse.ArgumentParser(prog="bench_speed", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--base", type=_names, default=[], help="older revisions, separated by commas"
    )
    parser.add_argument(
        "--against",
        type=_names,
        default="stockfish",
        help="UCI engines, separated by commas (%(default)s)",
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds per search (3)")
    parser.add_argument("--threads", type=int, default=2, help="threads to compare with one (2)")
    parser.add_argument("--only", choices=["nps", "threads", "perft"], help="run only one part")
    options = parser.parse_args(arguments)
    compared = options.only in (None, "nps")
    base, against = (options.base, options.against) if compared else ((), ())
    runners = measured_engines(base, against)
    command = runners[0].command[0]
    if compared:
        for line in nodes_per_second(runners, options.seconds):
            print(line, flush=True)
    if options.only in (None, "threads"):
        for line in threads_against_one(command, options.threads):
            print(line, flush=True)
    if options.only in (None, "perft"):
        stockfish = find_engine("stockfish")
        for line in perft(command, stockfish, options.threads):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
