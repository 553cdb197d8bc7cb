"""Single steps of the search as plain Python, with parameters and table entries set by hand."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from engine.lab.interpreted import Interpreter, wrapping
from engine.search.searcher import Searcher
from engine.search.thread import new_thread
from engine.search.tt import NO_SCORE, Table, probe, save
from helpers import naive
from uci.chess_io.convert import board_of, fill

NOTHING = np.uint64(0)
FAR = 1_000_000
"""A value of a parameter that no evaluation, depth or count reaches."""


def constant(value: int) -> Callable[[Any], Any]:
    """Return a replacement for a kernel that always returns ``value``."""
    return lambda _: lambda *_: np.int64(value)


def plain(kernel: Any, parameters: dict[Any, int] | None = None) -> Callable[..., Any]:
    """Return a kernel as a Python function of Python's integers, with some ``parameters`` set."""
    values = {parameter: constant(value) for parameter, value in (parameters or {}).items()}
    copy = Interpreter(values).copy(kernel)

    def call(*arguments: Any) -> Any:
        with wrapping():
            return copy(*(np.int64(a) if isinstance(a, int | bool) else a for a in arguments))

    return call


def first(fires: Callable[[int], Any], low: int = -20_000, high: int = 20_000) -> int:
    """Return the least number for which a step ``fires``; it must fire for all larger ones."""
    assert not fires(low)
    assert fires(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fires(middle) else (middle, high)
    return high


def depths(fires: Callable[[int], Any], most: int = 60) -> range:
    """Return the depths at which a step ``fires``; they must have no gap."""
    found = [depth for depth in range(1, most) if fires(depth)]
    assert found == list(range(found[0], found[-1] + 1))
    return range(found[0], found[-1] + 1)


def is_rising(values: Iterable[int]) -> bool:
    values = list(values)
    return len(values) > 1 and all(a < b for a, b in itertools.pairwise(values))


class Shelf:
    """A search thread with a table that holds one entry at a time."""

    def __init__(self, fen: str) -> None:
        self.pos, self.th, self._table = naive.position(fen), new_thread(), Table(1)
        self._table.attach(self.th)
        self.th.root_depth = 20
        self._save, self._probe = plain(save), plain(probe)

    def entry(
        self,
        depth: int,
        score: int,
        bound: int,
        move: int = 0,
        static: int = NO_SCORE,
        ply: int = 0,
    ) -> np.uint64:
        """Return the data of an entry for the position."""
        self._table.clear()
        self._table.attach(self.th)
        key = self.pos.key
        self._save(self.th, key, ply, depth, score, static, bound, move, 0)
        data = self._probe(self.th, key)
        assert data != NOTHING
        return np.uint64(data)


def searcher_of(fen: str, selective: bool = True, hash_mb: int = 1) -> Searcher:
    """Return a searcher that is about to search a position."""
    searcher = Searcher(hash_mb, selective)
    fill(searcher.pos, board_of(fen))
    return searcher
