"""Make balanced openings for matches: scripts/data/balanced_1000.epd.

Usage: python -m scripts.data.openings > FILE. Games begin with six or seven random moves; a
position is kept when nobody is in check and the engine's own score stays small at two depths. The
seed and the engine decide what comes out.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence

import chess

from scripts.console import track
from scripts.data.engine import Engine

SEED = 1
COUNT = 1000
PLIES = 6, 7
"""Random plies before the opening: as often White is to move as Black."""

DEPTHS = 8, 10
LARGEST_SCORE = 40
"""Centipawns, for either side, at each of the depths."""


def random_position(rng: random.Random) -> chess.Board:
    """Return the position after random legal moves, or where these end a game."""
    board = chess.Board(chess960=True)
    for _ in range(rng.choice(PLIES)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


def is_balanced(engine: Engine, board: chess.Board) -> bool:
    """Return whether the score is small at every depth, by searches that know nothing else."""
    for depth in DEPTHS:
        engine.clear()
        if abs(engine.search(board, depth)[1]) > LARGEST_SCORE:
            return False
    return True


def openings(seed: int) -> Iterator[str]:
    """Yield the EPD of one balanced position after another, none twice."""
    rng, engine, seen = random.Random(seed), Engine(), set[str]()
    while True:
        board = random_position(rng)
        epd = board.epd()  # the same for a transposition
        if epd in seen or board.is_check() or not any(board.legal_moves):
            continue
        seen.add(epd)
        if is_balanced(engine, board):
            yield epd


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="openings", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED, help="of the random moves (%(default)s)")
    parser.add_argument("--count", type=int, default=COUNT, help="openings (%(default)s)")
    options = parser.parse_args(arguments)
    # A comment of the first position: tournament managers take a line with # for a position.
    comment = (
        f' c0 "Made by scripts/data/openings.py, seed {options.seed}: {PLIES[0]} or {PLIES[1]}'
        f" random plies, within {LARGEST_SCORE} centipawns at depths"
        f' {DEPTHS[0]} and {DEPTHS[1]}";'
    )
    made = itertools.islice(openings(options.seed), options.count)
    for epd in track(made, "openings", options.count):
        print(epd + comment)
        comment = ""
    return 0


if __name__ == "__main__":
    sys.exit(main())
