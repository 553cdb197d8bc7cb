"""Random networks, and records that evaluate with them."""

from typing import Any

import numpy as np

from engine.evaluation.network import install
from engine.evaluation.nnue import EVALUATION
from engine.memory.records import new_record
from helpers import naive_nnue
from scripts.training.model import Parameters, quantise


def random_net(seed: int) -> Any:
    flat = np.concatenate([part.ravel() for part in naive_nnue.random_network(seed)])
    return quantise(Parameters(flat), 250)


def evaluator(net: Any) -> Any:
    """Return a record that evaluates with ``net``."""
    record = new_record(EVALUATION)
    install(record, net)
    return record
