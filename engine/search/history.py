"""What earlier cut-offs say about quiet moves: killers and the history heuristic.

Killers (Selim Akl and Monroe Newborn, 1977) are the last two quiet moves that refuted at
the same ply. History (Jonathan Schaeffer, 1983) counts for every origin and target.
"""

from typing import Any

from engine.board.move import origin_of, target_of
from engine.kernel import kernel

MAX_HISTORY = 1 << 14


@kernel
def history_of(th: Any, side: Any, move: Any) -> Any:
    """Return how well a quiet ``move`` of ``side`` has done, between ± `MAX_HISTORY`."""
    return th.history[side, origin_of(move), target_of(move)]


@kernel
def remember_cutoff(th: Any, side: Any, ply: Any, depth: Any, move: Any) -> None:
    """Reward the quiet ``move`` that refuted at ``ply``, the more so the deeper the search.

    The nearer a counter is to its bound, the less it grows, so old merits fade.
    """
    if th.killers[ply, 0] != move:
        th.killers[ply, 1] = th.killers[ply, 0]
        th.killers[ply, 0] = move
    origin, target = origin_of(move), target_of(move)
    bonus = min(16 * depth * depth + 32 * depth, 1600)
    value = th.history[side, origin, target]
    th.history[side, origin, target] = value + bonus - (value * bonus >> 14)
