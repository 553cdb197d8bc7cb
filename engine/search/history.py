"""What earlier cut-offs say about quiet moves: killers and the history heuristic.

Killers (Selim Akl and Monroe Newborn, 1977) are the last two quiet moves that refuted at
the same ply. History (Jonathan Schaeffer, 1983) counts for every origin and target; the
quiet moves that were tried in vain before a refutation lose as much as it gains.
"""

from typing import Any

import numpy as np

from engine.board.move import origin_of, target_of
from engine.kernel import kernel

MAX_HISTORY = 1 << 14
MAX_TRIED = 32
"""Quiet moves of one node that are remembered as tried."""


@kernel
def history_of(th: Any, side: Any, move: Any) -> Any:
    """Return how well a quiet ``move`` of ``side`` has done, between ± `MAX_HISTORY`."""
    return th.history[side, origin_of(move), target_of(move)]


@kernel
def _credit(th: Any, side: Any, move: Any, bonus: Any) -> None:
    """Add ``bonus``; the nearer a counter is to its bound, the less, so old merits fade."""
    origin, target = origin_of(move), target_of(move)
    value = th.history[side, origin, target]
    th.history[side, origin, target] = value + bonus - (value * abs(bonus) >> 14)


@kernel
def remember_cutoff(th: Any, side: Any, ply: Any, depth: Any, move: Any, tried: Any) -> None:
    """Reward the quiet ``move`` that refuted at ``ply``, and punish those ``tried`` before it.

    ``tried`` counts the quiet moves in the node's list, which may end with ``move`` itself.
    """
    if th.killers[ply, 0] != move:
        th.killers[ply, 1] = th.killers[ply, 0]
        th.killers[ply, 0] = move
    bonus = min(16 * depth * depth + 32 * depth, 1600)
    _credit(th, side, move, bonus)
    for index in range(tried):
        other = np.int64(th.tried[ply, index])
        if other != move:
            _credit(th, side, other, -bonus)
