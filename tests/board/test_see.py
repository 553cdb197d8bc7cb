"""Static exchange evaluation against playing the exchange out."""

import random
from collections.abc import Iterator
from itertools import islice

import chess
import pytest

from engine.board.see import see_at_least
from helpers import naive
from uci.chess_io.convert import board_of, encode_move


def busy_boards(rng: random.Random) -> Iterator[chess.Board]:
    """Yield every fourth position of random games, endlessly."""
    while True:
        yield from islice(naive.random_boards(rng, rng.random() < 0.5, 120), 6, None, 4)


def moves_of_interest(rng: random.Random, board: chess.Board) -> list[chess.Move]:
    """Return every capture and promotion, and a few quiet moves."""
    noisy, quiet = [], []
    for move in board.legal_moves:
        (noisy if board.is_capture(move) or move.promotion else quiet).append(move)
    return noisy + rng.sample(quiet, min(len(quiet), 4))


@pytest.mark.slow
@pytest.mark.parametrize(
    "positions",
    [
        pytest.param(100, marks=[pytest.mark.interpreted, pytest.mark.boundscheck]),
        pytest.param(1000),
        pytest.param(10_000, marks=pytest.mark.long),
    ],
)
def test_against_brute_force(positions: int) -> None:
    rng = random.Random(positions)
    values = set()
    for board in islice(busy_boards(rng), positions):
        pos = naive.position(board)
        before = naive.visible(pos)
        for move in moves_of_interest(rng, board):
            code, value = encode_move(board, move), naive.static_exchange(board, move)
            values.add(value)
            for threshold in (value - 1, value, value + 1, rng.randint(-1100, 1100)):
                found = see_at_least(pos, code, threshold)
                assert found == (value >= threshold), f"{move} in {board.fen()}: {value}"
        assert naive.visible(pos) == before
    if positions >= 1000:
        assert len(values) > 30, values


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("fen", "text", "value"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),  # undefended
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -220),
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", -400),
        ("4k3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),  # the second rook stands behind
        ("3qk3/3r4/8/3p4/8/3R4/3R4/3QK3 w - - 0 1", "d3d5", 100),  # and the queens last
        ("4k3/8/3p4/4p3/3P4/8/8/4K3 w - - 0 1", "d4e5", 0),
        ("8/8/4k3/4p3/8/8/8/K3R3 w - - 0 1", "e1e5", -400),  # the king takes
        ("8/8/4k3/4p3/8/8/4Q3/K3R3 w - - 0 1", "e2e5", 100),  # the king must not
        ("8/8/8/3pk3/4P3/8/8/4K3 b - - 0 1", "d5e4", 100),
        ("4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 100),
        ("4k3/1p6/8/2pP4/8/8/8/4K3 w - c6 0 1", "d5c6", 0),
        ("2r1k3/8/8/2pP4/8/8/8/2R1K3 w - c6 0 1", "d5c6", 100),  # it opens the file of both rooks
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", 850),
        ("1r6/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", -100),
        ("1r6/P6k/8/8/8/8/8/K7 w - - 0 1", "a7b8n", 720),
        ("4k3/8/8/2p5/8/1N6/8/4K3 w - - 0 1", "b3d4", -320),  # a quiet move to a guarded square
        ("4k3/8/8/2p5/8/1N6/8/4K3 w - - 0 1", "b3d2", 0),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", 0),
        ("6k1/8/8/3p4/4N3/5P2/8/4K3 b - - 0 1", "d5e4", 220),
        ("4k3/8/4n3/8/3Q4/8/8/3RK3 b - - 0 1", "e6d4", 630),
        ("3rk3/8/4n3/8/3Q4/8/8/3RK3 b - - 0 1", "e6d4", 950),  # taking back does not pay
        ("4k3/3n4/8/1B2p3/8/8/8/4RK2 w - - 0 1", "e1e5", -400),  # a pinned knight guards too
    ],
)
def test_known_exchanges(fen: str, text: str, value: int) -> None:
    board = board_of(fen)
    move = board.parse_uci(text)
    assert naive.static_exchange(board, move) == value
    code, pos = encode_move(board, move), naive.position(board)
    assert [see_at_least(pos, code, value + more) for more in (-1, 0, 1)] == [True, True, False]
