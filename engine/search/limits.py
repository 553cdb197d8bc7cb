"""Search limits, and time management: from the game clock to milliseconds for one move."""

from dataclasses import dataclass
from math import exp
from typing import NamedTuple

MOVES_LEFT = 30
"""Without ``movestogo``, the number of moves among which the time is shared after the opening.

With fewer, little but the increment is left for long games.
"""

OPENING_MOVES_LEFT, OPENING_LENGTH = 100.0, 8.0
"""The moves added to that number at the first move, and the moves in which these fall to 1/e.

Time is worth less in the opening than in the middlegame.
"""

INCREMENT_SHARE = 0.75
"""The share of the increment that a move may use; the rest makes up for longer moves."""

OVERHEADS_KEPT = 18
"""The number of later moves' overheads to reserve: not every move loses its whole overhead."""

HARD_FACTOR = 4.0
"""The hard limit as a multiple of the soft one, at most."""

HARD_CLOCK_SHARE = 0.5
"""The largest share of the clock for one move, unless a time control is about to be reached."""

SOFT_CLOCK_SHARE = 0.25
"""The largest share for the soft limit: a reserve for a machine that stalls."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one ``go``; ``None`` means no limit, and all given limits hold together.

    Times are milliseconds, ``depth`` plies, ``nodes`` made moves, ``mate`` full moves;
    ``soft_nodes`` is a soft limit as in `Budget`, in nodes. An
    ``infinite`` search ends when it is stopped, whatever the clocks say. An ``alone`` search uses
    the first thread only, so that its result does not depend on the number of threads.
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
    soft_nodes: int | None = None
    infinite: bool = False
    alone: bool = False


class Budget(NamedTuple):
    """Milliseconds from ``go``: no iteration begins after ``soft`` times `soft_scale`, and ``hard``
    ends the search."""

    soft: int | None
    hard: int | None


def budget(limits: Limits, side: int, move: int, overhead: int) -> Budget:
    """Return the time for one move of ``side`` (0 white, 1 black), the game's ``move``-th.

    ``overhead`` is the milliseconds a move loses between engine and clock. Whatever the
    clock says, a limit is at least 1 ms and leaves the overhead on it:
    ``0 < soft <= hard <= max(1, time - overhead)``.
    """
    if limits.infinite:
        return Budget(None, None)
    fixed = None if limits.movetime is None else max(1, limits.movetime - overhead)
    time, increment = side_clock(limits, side)
    if time is None and fixed is not None and limits.mate is not None:
        # The soft limit ends the search with pruning; the remaining time is for the one without.
        return Budget(max(1, int(fixed / HARD_FACTOR)), fixed)
    if time is None:
        return Budget(None, fixed)
    soft, hard = _share(
        max(1, time - overhead), max(0, increment), limits.movestogo, _moves_left(move), overhead
    )
    if fixed is not None:
        hard = min(hard, fixed)
    return Budget(min(soft, hard), hard)


def _moves_left(move: int) -> float:
    """Return among how many moves to divide the time at move ``move``, without a time control."""
    return MOVES_LEFT + OPENING_MOVES_LEFT * exp(-move / OPENING_LENGTH)


def side_clock(limits: Limits, side: int) -> tuple[int | None, int]:
    """Return the time and the increment of ``side``.

    A client that gives only the other side's clock still waits for a move, so the
    clocks are taken to be equal, and so are increments where there is no clock; with an
    increment alone, that much can be spent.
    """
    times = (limits.wtime, limits.btime)
    increments = (limits.winc, limits.binc)
    time = times[side] if times[side] is not None else times[1 - side]
    increment = increments[side]
    if time is None:
        time = increment = increment if increment is not None else increments[1 - side]
    return time, increment or 0


def _share(
    usable: int, increment: int, movestogo: int | None, moves: float, overhead: int
) -> tuple[int, int]:
    """Return soft and hard limits out of ``usable`` milliseconds for ``moves`` at most."""
    if movestogo is not None and 0 < movestogo <= moves:
        moves, kept = movestogo + 0.5, overhead * (movestogo - 0.5)
        planned = most = HARD_CLOCK_SHARE + (0.9 - HARD_CLOCK_SHARE) / movestogo
    else:
        kept = float(overhead * OVERHEADS_KEPT)
        planned, most = SOFT_CLOCK_SHARE, HARD_CLOCK_SHARE
    # If the clock cannot pay for that the share is negative, and the clock grows by the increment.
    share = (usable - kept) / moves
    soft = max(1.0, min(share + increment * INCREMENT_SHARE, usable * planned))
    return int(soft), max(1, int(min(usable * most, soft * HARD_FACTOR)))


def soft_scale(stable: int, drop: int, share: float) -> float:
    """Return the factor of the soft limit for a position: 0.6 to `HARD_FACTOR`.

    ``stable`` counts the iterations since the best move changed, ``drop`` is the loss of
    score in centipawns since the last one, ``share`` the part of the nodes that went to the
    best move. A stable best move needs less time, a falling score more.
    """
    stability = (2.2, 1.3, 1.0, 0.9, 0.8)[min(stable, 4)]
    contested = 1.7 * (1.5 - share)
    falling = min(max(1 + drop / 40, 0.9), 1.4)
    return min(stability * contested * falling, HARD_FACTOR)
