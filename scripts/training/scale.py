"""The meaning of a centipawn: 100 are the score from which half of the games are won."""

from typing import Any

import numpy as np

_STEPS = 50


def scale_of(outputs: Any, results: Any) -> int:
    """Return the centipawns of an output of 1.

    ``outputs`` are a network's, ``results`` (0 lost, 1 drawn, 2 won) those of the games. The
    share of wins is taken to be a logistic function of the output, fitted by Newton's method
    for the most likely one.
    """
    won = (np.asarray(results) == 2).astype(np.float64)
    if not 0 < won.mean() < 1:
        raise ValueError("these games say nothing about the worth of a score")
    inputs = np.stack([np.ones(len(won)), np.asarray(outputs, np.float64)])
    weights = np.zeros(2)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-(weights @ inputs)))
        gradient = inputs @ (won - chance)
        curvature = (inputs * (chance * (1 - chance))) @ inputs.T
        weights += np.linalg.solve(curvature + 1e-6 * np.eye(2), gradient)
    offset, slope = weights
    if slope <= 0 or offset >= 0:
        raise ValueError("these games say nothing about the worth of a score")
    return round(100 * slope / -offset)
