"""Upcoming repetition: the table of key differences compared with all legal moves."""

import random
from typing import Any

import numpy as np
import pytest

from engine.board import cycle
from engine.board.makemove import make, unmake
from engine.board.movegen import legal_moves
from engine.board.position import POSITION
from engine.jit.kernel import COMPILED
from helpers import naive
from helpers.entries import entry

FENS = (
    "8/4k3/8/3n4/8/2B5/1K3R2/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "6k1/5ppp/8/3q4/8/2N5/5PPP/3Q2K1 b - - 5 9",
)
GAMES, PLIES = (20, 40) if COMPILED else (3, 20)


@entry(POSITION, np.int64)
def has_upcoming_repetition(pos: Any, ply: Any) -> Any:
    return cycle.has_upcoming_repetition(pos, ply)


def reached(pos: Any) -> set[int]:
    """Return the keys of all positions that a legal move leads to."""
    keys = set()
    for move in legal_moves(pos):
        make(pos, move)
        keys.add(int(pos.key))
        unmake(pos)
    return keys


def joined(pos: Any, ply: int) -> bool:
    """Return whether a legal move connects the position with an earlier one below the root."""
    most = min(int(pos.reversible_plies), int(pos.game_ply), ply - 1)
    here, ahead, path, found = int(pos.key), reached(pos), [], False
    for back in range(1, most + 1):
        path.append(int(pos.history[pos.game_ply - 1].move))
        unmake(pos)
        if back >= 3 and back % 2:
            found |= int(pos.key) in ahead or here in reached(pos)
    for move in reversed(path):
        make(pos, np.int64(move))
    return found


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_it_sees_what_trying_all_moves_finds() -> None:
    rng, seen = random.Random(4), [0, 0]
    for number in range(GAMES):
        pos = naive.position(FENS[number % len(FENS)])
        for ply in range(PLIES):
            expected = joined(pos, ply)
            assert bool(has_upcoming_repetition(pos, np.int64(ply))) == expected
            seen[expected] += 1
            moves = legal_moves(pos)
            if not moves:
                break
            quick = [move for move in moves if rng.random() < 0.3] or moves
            back = int(pos.history[pos.game_ply - 2].move) if ply > 1 else 0
            undo = (back & 63) << 6 | back >> 6 & 63
            make(pos, undo if undo in moves and rng.random() < 0.4 else rng.choice(quick))
    assert min(seen) > (20 if COMPILED else 0)


def test_the_slots() -> None:
    keys = cycle._KEYS[cycle._KEYS != 0]
    assert len(keys) == len(set(keys.tolist())) == 3668
