"""Measure how close networks are to deeper searches, without games.

``python -m scripts.training.judge GAMES NETWORK...``, where GAMES is a small file of games that no
network was trained on, relabelled at many nodes: ``pythagoras datagen GAMES --relabel … --nodes
10000``. The error is the mean squared difference between the expected points of the network, at its
best scale, and those of the deep search.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.network import read_network
from engine.evaluation.shape import Network
from scripts.training.blocks import load
from scripts.training.gradient import outputs
from scripts.training.model import Parameters
from scripts.training.positions import Samples
from scripts.training.scale import logistic, scale_of_scores

_SCALES = np.linspace(0.5, 1.5, 101)


def error_of(net: Network, samples: Samples, expected: NDArray[np.float32]) -> float:
    """Return the mean squared error of ``net`` against ``expected``, in shares of a point."""
    found = np.zeros(len(samples), np.float32)
    outputs(samples, *Parameters.of(net).parts, found)
    return min(float(np.mean((logistic(found * scale) - expected) ** 2)) for scale in _SCALES)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each network; return the exit status."""
    parser = argparse.ArgumentParser(prog="judge", description=__doc__.splitlines()[0])
    parser.add_argument("games", type=Path, help="file of games, relabelled at many nodes")
    parser.add_argument("networks", type=Path, nargs="+", metavar="network")
    options = parser.parse_args(arguments)
    try:
        samples = np.concatenate(load([options.games]))
        expected = logistic(samples["score"] / scale_of_scores(samples["score"], samples["result"]))
        print(f"{len(samples):,} positions")
        for path in options.networks:
            print(f"{path}: {error_of(read_network(path), samples, expected):.6f}", flush=True)
    except (OSError, ValueError) as error:
        print(f"judge: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
