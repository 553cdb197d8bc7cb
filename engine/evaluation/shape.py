"""The network's shape, and its record."""

from typing import TypeAlias

import numpy as np

from engine.evaluation.features import FEATURES
from engine.memory.records import Field, Record

HIDDEN = 512
"""Neurons of each perspective."""

BUCKETS = 8
"""The number of output buckets (sets of output weights), chosen by the number of pieces."""

ONE = 255
"""An activation of 1, quantised."""

OUTPUT_ONE = 128
"""An output weight of 1, quantised."""

NETWORK_FIELDS: list[Field] = [
    ("weights", np.int16, (FEATURES, HIDDEN)),
    ("output", np.int16, (BUCKETS, 2, HIDDEN)),
    ("bias", np.int16, HIDDEN),
    ("output_bias", np.int32, BUCKETS),
    ("scale", np.int32),
]
NETWORK = np.dtype(NETWORK_FIELDS, align=True)
"""A network: weights and bias in units of 1/`ONE`, output weights of 1/`OUTPUT_ONE`, the
output's bias of 1/(`ONE` × `OUTPUT_ONE`); ``scale`` turns an output of 1 into centipawns."""

Network: TypeAlias = Record
"""A record of `NETWORK`."""
