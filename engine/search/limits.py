"""What a search may spend, and how a game clock becomes milliseconds for one move."""

from dataclasses import dataclass
from typing import NamedTuple

MOVES_LEFT = 22
"""Moves that the remaining time is shared among, when the clock does not say."""

INCREMENT_SHARE = 0.75
"""How much of the increment a move may spend: the rest makes up for the moves that overrun."""

HARD_FACTOR = 4.0
"""How many times its soft limit a move may take at most."""

HARD_CLOCK_SHARE = 0.5
"""No move takes more of the clock than this, unless the clock is about to be refilled."""

SOFT_CLOCK_SHARE = 0.25
"""Nor plans to take more than this, so that a few increments are kept for a machine that stalls."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one ``go``; ``None`` is no limit, and all that are given hold together.

    Times are milliseconds, ``depth`` plies, ``nodes`` made moves, ``mate`` full moves. An
    ``infinite`` search ends when it is stopped, whatever the clocks say.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    mate: int | None = None
    infinite: bool = False


class Budget(NamedTuple):
    """Milliseconds from ``go``: ``soft`` starts no new iteration, ``hard`` ends the search."""

    soft: int | None
    hard: int | None


def budget(limits: Limits, side: int, overhead: int) -> Budget:
    """Return the time for one move of ``side`` (0 white, 1 black).

    ``overhead`` is the milliseconds a move loses between engine and clock. Whatever the
    clock says, a limit is at least 1 ms and leaves the overhead on it:
    ``0 < soft <= hard <= max(1, time - overhead)``.
    """
    if limits.infinite:
        return Budget(None, None)
    fixed = None if limits.movetime is None else max(1, limits.movetime - overhead)
    time, increment = _clock(limits, side)
    if time is None and fixed is not None and limits.mate is not None:
        # It is looked for with pruning first, and proved or ruled out in the rest of the time.
        return Budget(max(1, int(fixed / HARD_FACTOR)), fixed)
    if time is None:
        return Budget(None, fixed)
    soft, hard = _share(max(1, time - overhead), max(0, increment), limits.movestogo, overhead)
    if fixed is not None:
        hard = min(hard, fixed)
    return Budget(min(soft, hard), hard)


def _clock(limits: Limits, side: int) -> tuple[int | None, int]:
    """Return the time and the increment of ``side``.

    A client that gives only the other side's clock still waits for a move, so the
    clocks are taken to be equal; with an increment alone, that much can be spent.
    """
    times = (limits.wtime, limits.btime)
    increments = (limits.winc, limits.binc)
    time = times[side] if times[side] is not None else times[1 - side]
    increment = increments[side]
    return (increment if time is None else time), increment or 0


def _share(usable: int, increment: int, movestogo: int | None, overhead: int) -> tuple[int, int]:
    """Return soft and hard limits out of ``usable`` milliseconds."""
    if movestogo is not None and 0 < movestogo <= MOVES_LEFT:
        moves = movestogo + 0.5
        planned = most = HARD_CLOCK_SHARE + (0.9 - HARD_CLOCK_SHARE) / movestogo
    else:
        moves, planned, most = MOVES_LEFT, SOFT_CLOCK_SHARE, HARD_CLOCK_SHARE
    # Later moves lose the overhead too. A clock that cannot even pay for that has a negative
    # share, and so grows again by the increment.
    share = (usable - overhead * (moves - 1)) / moves
    soft = max(1.0, min(share + increment * INCREMENT_SHARE, usable * planned))
    return int(soft), max(1, int(min(usable * most, soft * HARD_FACTOR)))


def soft_scale(stable: int, drop: int, share: float) -> float:
    """Return what part of the soft limit a position deserves: 0.6 to `HARD_FACTOR`.

    ``stable`` counts the iterations since the best move changed, ``drop`` is the loss of
    score in centipawns since the last one, ``share`` the part of the nodes that went to the
    best move. A move that nothing contests needs less time, a failing one more.
    """
    stability = (2.2, 1.3, 1.0, 0.9, 0.8)[min(stable, 4)]
    contested = 1.7 * (1.5 - share)
    falling = min(max(1 + drop / 40, 0.9), 1.4)
    return min(stability * contested * falling, HARD_FACTOR)
