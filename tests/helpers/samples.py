"""Positions to train on."""

import random
from typing import Any

import chess
import numpy as np

from helpers import naive
from helpers.naive_search import random_positions
from scripts.training.positions import SAMPLE, pack
from scripts.training.scale import logistic


def boards(seed: int, games: int) -> list[chess.Board]:
    return list(random_positions(seed, games))


def samples(positions: list[chess.Board], seed: int) -> Any:
    rng = random.Random(seed)
    packed = np.zeros(len(positions), SAMPLE)
    for index, board in enumerate(positions):
        pack(naive.position(board), packed[index])
    packed["score"] = [rng.randrange(-600, 600) for _ in positions]
    packed["expected"] = logistic(packed["score"] / 400)
    packed["result"] = [rng.randrange(4) for _ in positions]
    return packed


def flat(parts: list[Any]) -> Any:
    return np.concatenate([part.ravel() for part in parts])
