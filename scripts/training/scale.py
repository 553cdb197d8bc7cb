"""The scale of scores in centipawns, fitted to the results of games."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scripts.training.positions import UNKNOWN

Array = NDArray[Any]
"""An array of numbers of any type."""

MOST = 1_000_000
"""Maximum number of positions to use: the last ones, which are the newest."""

_STEPS = 50


def logistic(values: Array) -> Array:
    """Return the expected share of the points for ``values``; 0 means equal chances."""
    return 1 / (1 + np.exp(-values))


def _fit(inputs: Array, shares: Array) -> tuple[float, float]:
    """Return offset and slope of the logistic function with the greatest likelihood for ``shares``.

    It uses Newton's method. Raises `ValueError` if they do not increase with ``inputs``.
    """
    values, shares = np.asarray(inputs[-MOST:], np.float64), shares[-MOST:]
    unit = max(float(values.std()), 1e-9)
    rows = np.stack([np.ones(len(values)), values / unit])
    weights = np.zeros(2)
    for _ in range(_STEPS):
        chance = logistic(weights @ rows)
        gradient = rows @ (shares - chance)
        curvature = (rows * (chance * (1 - chance))) @ rows.T
        weights += np.linalg.solve(curvature + 1e-6 * np.eye(2), gradient)
    if not weights[1] > 0 or shares.min() == shares.max():
        raise ValueError("these games say nothing about the worth of a score")
    return float(weights[0]), float(weights[1]) / unit


def _known(inputs: Array, results: ArrayLike) -> tuple[Array, Array]:
    """Return the inputs with known results, and these results."""
    results = np.asarray(results)
    known = results < UNKNOWN
    return np.asarray(inputs)[known], results[known]


def scale_of_scores(scores: Array, results: ArrayLike) -> float:
    """Return the centipawns at which ``logistic(1)`` of the points are expected.

    ``scores`` are of any evaluation; ``results`` are 0 lost, 1 drawn, 2 won, or more if unknown.
    """
    scores, results = _known(scores, results)
    return 1 / _fit(scores, results / 2)[1]


def scales_of_files(files: Sequence[tuple[Array, Array]]) -> Array:
    """Return `scale_of_scores` for the scores and results of each file, ``float64``.

    If random moves hide most results of a file, the remaining ones are closer to the end and
    clearer. Such files get the mean scale of the files with all results, if there are any.
    """
    scales = np.array([scale_of_scores(scores, results) for scores, results in files])
    whole = np.array([(results != UNKNOWN).all() for _, results in files])
    if whole.any():
        scales[~whole] = scales[whole].mean()
    return scales


def scale_of(outputs: Array, results: ArrayLike) -> int:
    """Return the centipawns of an output of 1.

    ``outputs`` are a network's; ``results`` (0 lost, 1 drawn, 2 won, or more if unknown) are those
    of the games, the newest last. At 100 centipawns half of the games are won.
    """
    outputs, results = _known(outputs, results)
    offset, slope = _fit(outputs, results == 2)
    if offset >= 0:
        raise ValueError("these games say nothing about the worth of a score")
    return round(100 * slope / -offset)
