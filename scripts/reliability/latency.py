"""Measure how soon a search answers: `stop` with its move, `isready` with `readyok`.

Usage: python -m scripts.reliability.latency [--count 2000] [ENGINE...]. Each engine, ours and
Stockfish by default, takes turns with the others; first with the machine to themselves, then beside
stress-ng, which keeps as many cores busy as there are.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence

from engine.cores import cores
from scripts.console import print_table, track
from scripts.match.builds import ROOT, MatchError
from scripts.match.command_line import command_line
from scripts.match.runner import find_engine
from scripts.measure.pv_check import POSITIONS
from scripts.measure.uci_client import EngineTerminated, UciClient
from scripts.reliability.busy import find_stress_ng, stress_ng
from uci.chess_io.positions import read_positions

HEADER = "engine", "machine", "answer to", "count", "p50 ms", "p99 ms", "max ms"
SOONEST, LATEST = 0.002, 0.050
"""Seconds of a search before it is spoken to."""
SILENCE = 60.0


def answer_time(engine: UciClient, said: str, answer: str) -> float:
    """Return how many milliseconds the engine takes. Raises `EngineTerminated`."""
    start = time.perf_counter()
    engine.say(said).until(answer)
    return 1000 * (time.perf_counter() - start)


def measure(
    engines: Sequence[UciClient], count: int, rng: random.Random, what: str
) -> list[tuple[list[float], list[float]]]:
    """Return each engine's times for ``isready`` and for ``stop``, ``count`` of each."""
    boards = read_positions(POSITIONS)
    times: list[tuple[list[float], list[float]]] = [([], []) for _ in engines]
    for _ in track(range(count), what):
        fen, pause = rng.choice(boards).fen(), rng.uniform(SOONEST, LATEST)
        for engine, (ready, stop) in zip(engines, times, strict=True):
            engine.say(f"position fen {fen}", "go infinite")
            time.sleep(pause)
            ready.append(answer_time(engine, "isready", "readyok"))
            stop.append(answer_time(engine, "stop", "bestmove"))
    return times


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of all do not exceed."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def rows(
    names: Sequence[str], machine: str, times: Sequence[tuple[list[float], list[float]]]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of `HEADER`."""
    for name, (ready, stop) in zip(names, times, strict=True):
        for said, values in (("isready", ready), ("stop", stop)):
            figures = percentile(values, 0.5), percentile(values, 0.99), max(values)
            yield name, machine, said, f"{len(values)}", *(f"{figure:.2f}" for figure in figures)


def start(command: str) -> UciClient:
    """Start an engine and wait until it is ready. Raises `MatchError`."""
    path = find_engine(command)
    if path is None:
        raise MatchError(f"{command} is not on the PATH")
    engine = UciClient([path], timeout=SILENCE)
    engine.say("uci", "isready").until("readyok")
    return engine


@command_line("latency")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    ours = ROOT / ".venv" / "bin" / "pythagoras"
    parser = argparse.ArgumentParser(prog="latency", description=__doc__.splitlines()[0])
    parser.add_argument("engines", nargs="*", default=[str(ours), "stockfish"])
    parser.add_argument("--count", type=int, default=2000, help="of each answer (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of positions and moments (1)")
    options = parser.parse_args(arguments)
    engines = [start(command) for command in options.engines]
    names = [command.rpartition("/")[2] for command in options.engines]
    rng = random.Random(options.seed)
    table: list[tuple[str, ...]] = []
    try:
        find_stress_ng()  # before the idle half
        table += rows(names, "idle", measure(engines, options.count, rng, "idle"))
        with stress_ng(cores()):
            table += rows(names, "busy", measure(engines, options.count, rng, "busy"))
    except EngineTerminated as error:
        raise MatchError(f"an engine ended: {error}") from None
    finally:
        for engine in engines:
            engine.close()
    print_table(HEADER, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
