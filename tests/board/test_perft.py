"""Perft: published counts, and Stockfish's."""

import random
import threading
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.board.perft import Counts, divide, perft
from engine.jit.kernel import COMPILED
from engine.memory.stop_signal import Signal
from helpers import naive
from scripts.data.chess960_perft import DEPTH, stockfish_perft
from uci.session.bench import POSITIONS

DATA = Path(__file__).parents[1] / "data"


def published(most: int) -> list[Any]:
    """Return the deepest count of each position with at most ``most`` leaves."""
    found = []
    for line in (DATA / "perft.epd").read_text().splitlines():
        if line.startswith("#"):
            continue
        fen, *counts = line.split(" ;")
        rows = [tuple(map(int, count[1:].split())) for count in counts]
        fitting = [row for row in rows if row[1] <= most]
        if fitting:
            found.append(pytest.param(fen, *fitting[-1], id=f"{fen.split()[0]}-{fitting[-1][0]}"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "depth", "leaves"), published(1 << 40))
def test_published(fen: str, depth: int, leaves: int) -> None:
    assert perft(naive.position(fen), depth) == leaves


@pytest.mark.boundscheck
@pytest.mark.parametrize(("fen", "depth", "leaves"), published(5_000_000))
def test_published_at_a_middling_depth(fen: str, depth: int, leaves: int) -> None:
    assert perft(naive.position(fen), depth) == leaves


@pytest.mark.interpreted
@pytest.mark.parametrize(("fen", "depth", "leaves"), published(15_000))
def test_published_at_a_small_depth(fen: str, depth: int, leaves: int) -> None:
    assert perft(naive.position(fen), depth) == leaves


def test_the_six_positions_are_deep_enough() -> None:
    assert sum(param.values[2] >= 50_000_000 for param in published(1 << 40)) == 6


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_depths_without_a_tree() -> None:
    pos = naive.position(chess.STARTING_FEN)
    assert [perft(pos, depth) for depth in (-1, 0, 1)] == [1, 1, 20]
    mated = naive.position("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert [perft(mated, depth) for depth in (0, 1, 2)] == [1, 0, 0]


@pytest.mark.interpreted
def test_the_position_is_left_as_it_was() -> None:
    pos = naive.position(chess.STARTING_FEN)
    before = naive.visible(pos)
    perft(pos, 3)
    assert naive.visible(pos) == before


@pytest.mark.boundscheck
@pytest.mark.slow
def test_all_chess960_starts() -> None:
    lines = (DATA / "chess960_perft4.txt").read_text().splitlines()
    counts = [int(word) for line in lines if not line.startswith("#") for word in line.split()]
    assert len(counts) == 960
    assert counts[518] == 197281
    for number, count in enumerate(counts):
        pos = naive.position(chess.Board.from_chess960_pos(number))
        assert perft(pos, DEPTH) == count, f"Chess960 start {number}"


@pytest.mark.slow
def test_against_a_live_stockfish(stockfish: str) -> None:
    rng = random.Random(4)
    fens = []
    for game in range(30):
        start, *positions = (board.fen() for board in naive.random_boards(rng, game % 2 == 0, 80))
        fens += [start] if game < 4 else rng.sample(positions, 3)
    theirs = stockfish_perft(stockfish, fens, DEPTH)
    for fen, count in zip(fens, theirs, strict=True):
        assert perft(naive.position(fen), DEPTH) == count, fen


@pytest.mark.slow
@pytest.mark.interpreted
def test_perft_in_parts() -> None:
    depth = 4 if COMPILED else 2
    for fen in POSITIONS[:5]:
        pos = naive.position(fen)
        whole = perft(pos, depth)
        key = int(pos.key)
        for threads, megabytes in ((1, 0), (3, 0), (1, 1), (3, 1)):
            parts = dict(divide(pos, depth, threads, megabytes))
            assert sum(parts.values()) == whole
            assert len(parts) == perft(pos, 1)
            assert int(pos.key) == key


def test_a_table_of_counts() -> None:
    pos = naive.position(POSITIONS[1])
    counts = Counts(1)
    assert counts.entries == 1 << 16
    assert [perft(pos, depth, counts) for depth in (4, 3, 4)] == [4085603, 97862, 4085603]
    assert Counts().address == 0


def test_a_table_that_is_too_large() -> None:
    for megabytes in (1 << 33, 1 << 80):
        with pytest.raises(
            MemoryError, match=f"not enough memory for a perft hash table of {megabytes} MiB"
        ):
            Counts(megabytes)


@pytest.mark.interpreted
def test_what_was_ended_before_it_began() -> None:
    pos, signal = naive.position(chess.STARTING_FEN), Signal()
    signal.set()
    before = naive.visible(pos)
    assert perft(pos, 100, None, signal) is None
    assert perft(pos, 100, Counts(1), signal) is None
    for threads in (1, 2):
        assert list(divide(pos, 100, threads, 1, signal)) == []
    assert naive.visible(pos) == before


def test_an_abandoned_perft_leaves_no_trace() -> None:
    pos, counts = naive.position(POSITIONS[1]), Counts(1)
    before = naive.visible(pos)
    for milliseconds in (1, 2, 4, 8, 16, 32):
        signal = Signal()
        timer = threading.Timer(milliseconds / 1000, signal.set)
        timer.start()
        assert perft(pos, 100, counts, signal) is None
        timer.join()
        assert naive.visible(pos) == before
    assert [perft(pos, depth, counts) for depth in (2, 3, 4)] == [2039, 97862, 4085603]
