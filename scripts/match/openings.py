"""The openings of a match, in an order determined by its seed."""

import itertools
import random
from collections.abc import Sequence
from pathlib import Path

from scripts.match.builds import MatchError
from scripts.match.runner import find_openings
from uci.chess_io.positions import read_positions
from uci.errors import UciError


def read_openings(path: Path) -> list[str]:
    """Return the openings of an EPD file as FEN. Raises `MatchError`."""
    try:
        return [board.fen() for board in read_positions(find_openings(path))]
    except UciError as error:
        raise MatchError(str(error)) from None


def shuffled(suite: Sequence[str], seed: int, count: int) -> list[str]:
    """Return ``count`` openings: all of them in a random order, then in another."""
    rng = random.Random(seed)
    rounds = (rng.sample(suite, len(suite)) for _ in itertools.repeat(0))
    return list(itertools.islice(itertools.chain.from_iterable(rounds), count))


def distinct_pairs(pairs: int, suite: Sequence[str]) -> int:
    """Return how many of ``pairs`` pairs of games are distinct at fixed nodes: one per opening.

    Further pairs would repeat the same games; if they were requested, a line is printed.
    """
    if pairs > len(suite):
        print(f"playing {2 * len(suite)} games: at fixed nodes each opening gives only one pair")
    return min(pairs, len(suite))
