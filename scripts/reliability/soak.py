"""Fuzz for some time: UCI sessions, lines, inputs of all readers, positions, stopped searches.

Usage: python -m scripts.reliability.soak [--minutes 30] [--seed N] [--only KIND], or ``make soak``.
Each round has a seed of its own, which is printed; a finding ends the run, and is printed with its
seed. A summary is printed at the end, also after Ctrl-C.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from scripts.match.builds import ROOT
from scripts.match.runner import find_engine
from scripts.measure.uci_client import EngineTerminated
from scripts.reliability import differential, interrupted, line_fuzzer, parser_fuzzer
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.parser_fuzzer import READERS
from scripts.reliability.uci_machine import UciMachine

LINES, INPUTS, CONVERSATIONS = 10_000, {"uci": 20_000, "fen": 20_000}, 50
POSITIONS, INTERRUPTED = 300, 2_000
"""Inputs per round, by kind; readers that are not listed get a tenth of the others' number."""


def converse(number: int) -> Counter[str]:
    """Run random UCI sessions, and return their number and that of their lines."""

    class SeededMachine(UciMachine):
        starts, said = 0, 0

    run = settings(
        database=None, deadline=None, max_examples=CONVERSATIONS, stateful_step_count=60,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    run_state_machine_as_test(seed(number)(SeededMachine), settings=run)
    return Counter(conversations=SeededMachine.starts, steps=SeededMachine.said)


def say_lines(number: int) -> Counter[str]:
    """Send lines to running engines; return their number, and how many were sent during a
    search."""
    report = line_fuzzer.fuzz([sys.executable, "-m", "uci"], ROOT, LINES, number)
    return Counter({"lines": report.lines, "lines in a search": report.searching})


def read_inputs(number: int) -> Counter[str]:
    """Fuzz all readers, and return the number of inputs of each."""
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for reader in READERS:
            inputs = INPUTS.get(reader.name, 2_000)
            parser_fuzzer.fuzz(reader, inputs, number, Path(folder))
            done[f"inputs: {reader.name}"] += inputs
    return done


def compare_positions(number: int) -> Counter[str]:
    """Compare with Stockfish, if it is installed, and return the counts of comparisons."""
    stockfish = find_engine("stockfish")
    return differential.compare(POSITIONS, number, stockfish) if stockfish else Counter()


def stop_searches(number: int) -> Counter[str]:
    """Stop searches within an iteration, and return the counts. Raises `Finding`."""
    report = interrupted.run(INTERRUPTED, number, find_engine("stockfish"))
    for failure in (*report.failures(), *report.large):
        print(failure, flush=True)
    if report.failures():
        raise Finding("; ".join(report.failures()))
    return report.done


KINDS: Mapping[str, Callable[[int], Counter[str]]] = {
    "conversations": converse,
    "lines": say_lines,
    "inputs": read_inputs,
    "positions": compare_positions,
    "interrupted": stop_searches,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for a finding."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0, help="duration in minutes (30)")
    parser.add_argument("--seed", type=int, help="seed of the first round (random)")
    parser.add_argument("--only", choices=KINDS, help="run only these kinds (all in turn)")
    options = parser.parse_args(arguments)
    kinds = [options.only] if options.only else list(KINDS)
    number = random.randrange(10**9) if options.seed is None else options.seed
    end, done = time.monotonic() + 60 * options.minutes, Counter[str]()
    status = 0
    try:
        while not status and time.monotonic() < end:
            for kind in kinds:
                print(f"seed {number}: {kind}", flush=True)
                done += KINDS[kind](number)
            number += 1
    except (Finding, AssertionError, EngineTerminated) as finding:
        print(f"FOUND with seed {number}: {finding}", flush=True)
        status = 1
    except KeyboardInterrupt:
        print("stopped")
    finally:
        for what, count in sorted(done.items()):
            print(f"{count:12,} {what}")
    return status


if __name__ == "__main__":
    sys.exit(main())
