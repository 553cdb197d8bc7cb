"""Measure the evaluations per second of one core, in the order in which a search makes them.

Usage: python -m scripts.measure.eval_speed [--depth 3], on an idle machine. Trees of all legal
moves are walked with every position evaluated, and again without evaluations. The difference is the
cost of the network, including updates and refreshes of its accumulators.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from engine.board.makemove import make, unmake
from engine.board.movegen import generate
from engine.board.position import new_position
from engine.board.types import ALL_MOVES, MAX_MOVES
from engine.evaluation.nnue import evaluate, push_move, start
from engine.evaluation.shape import HIDDEN
from engine.jit.kernel import kernel
from engine.search.thread import new_thread
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS

ROUNDS = 5
EVERY = 4
"""Every fourth bench position is used."""


@kernel
def walk_and_evaluate(pos: Any, th: Any, ply: Any, depth: Any) -> Any:
    """Walk the tree below ``pos`` and evaluate every position; return their number."""
    th.nodes += evaluate(pos, th, ply)  # a sum, so that the compiler cannot drop the evaluation
    count = np.int64(1)
    if depth > 0:
        end = generate(pos, ply * MAX_MOVES, np.int64(ALL_MOVES))
        for index in range(ply * MAX_MOVES, end):
            move = np.int64(pos.moves[index])
            push_move(pos, th, ply, move)
            make(pos, move)
            count += walk_and_evaluate(pos, th, ply + 1, depth - 1)
            unmake(pos)
    return count


@kernel
def walk_only(pos: Any, th: Any, ply: Any, depth: Any) -> Any:
    """Walk the same tree without evaluations, in a kernel of its own, since a flag would take
    time."""
    count = np.int64(1)
    if depth > 0:
        end = generate(pos, ply * MAX_MOVES, np.int64(ALL_MOVES))
        for index in range(ply * MAX_MOVES, end):
            move = np.int64(pos.moves[index])
            make(pos, move)
            count += walk_only(pos, th, ply + 1, depth - 1)
            unmake(pos)
    return count


@kernel
def with_scores(pos: Any, th: Any, depth: Any) -> Any:
    """Walk and evaluate the tree of a root position."""
    start(pos, th)
    return walk_and_evaluate(pos, th, np.int64(0), depth)


@kernel
def without_scores(pos: Any, th: Any, depth: Any) -> Any:
    """Walk the tree of a root position without evaluations."""
    start(pos, th)
    return walk_only(pos, th, np.int64(0), depth)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return the exit status."""
    parser = argparse.ArgumentParser(prog="eval_speed", description=__doc__.splitlines()[0])
    parser.add_argument("--depth", type=int, default=3, help="plies of the trees (3)")
    depth = np.int64(parser.parse_args(arguments).depth)
    pos, th = new_position(), new_thread()
    no_plies = np.int64(0)
    seconds: dict[Any, list[float]] = {with_scores: [], without_scores: []}
    for round_number in range(ROUNDS + 1):
        for walk, times in seconds.items():
            count, spent = 0, 0.0
            for fen in POSITIONS[::EVERY]:
                fill(pos, board_of(fen))
                before = perf_counter()
                count += int(walk(pos, th, depth if round_number else no_plies))
                spent += perf_counter() - before
            if round_number:  # the first one compiles
                times.append(spent)
    with_it, without = (statistics.median(times) for times in seconds.values())
    print(
        f"{HIDDEN} neurons: {count / (with_it - without):,.0f} evaluations/s"
        f" ({count:,} positions; {count / with_it:,.0f} positions/s with, "
        f"{count / without:,.0f} without; medians of {ROUNDS})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
