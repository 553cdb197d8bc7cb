"""How much less deep a late move is searched: the logarithmic table of late move reductions
(Tord Romstad's Glaurung; the product of logarithms from Stockfish).
"""

import math
from typing import Any

import numpy as np

from engine.kernel import kernel

_LAST = 63
_TABLE = np.array(
    [
        [
            int(0.8 + math.log(depth) * math.log(number) / 2.4) if depth and number else 0
            for number in range(_LAST + 1)
        ]
        for depth in range(_LAST + 1)
    ],
    dtype=np.int8,
)


@kernel
def late_move_reduction(depth: Any, number: Any) -> Any:
    """Return by how many plies to reduce move ``number`` (from 1) at ``depth``."""
    return np.int64(_TABLE[min(depth, _LAST), min(number, _LAST)])
