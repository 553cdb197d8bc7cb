"""Game clocks counted in nodes, for ``nodestime``: the idea is Stockfish's.

Milliseconds of a clock become nodes at a fixed rate, and the engine itself keeps the remaining
nodes from move to move. So the moves of a game depend neither on the machine's speed nor on its
load: with one thread, the same game is played again.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.search.limits import Limits, budget, side_clock
from uci.chess_io.convert import Game

MIN_NODES = 1000
"""Nodes that every search may use, however few are left: enough for a first line."""


@dataclass(frozen=True, slots=True)
class _Clock:
    """The clock of one side after its last search, in nodes.

    ``control`` is what each time control adds, ``left`` what is left, ``movestogo`` the moves to
    the next control as of the position of ``game``, if there is one.
    """

    game: Game
    rate: int
    control: int
    left: int
    movestogo: int | None

    def at(self, game: Game, rate: int, movestogo: int | None) -> "_Clock | None":
        """Return the clock at a later position; ``None`` if the client's must be used instead.

        The client's clock is used in another game, after a take-back, and with another rate. Each
        time control adds as much as the first; after the last one the addition is unknown.
        """
        known = len(self.game.moves)
        follows = game.start == self.game.start and game.moves[:known] == self.game.moves
        if not follows or rate != self.rate:
            return None
        left = self.left
        if self.movestogo is not None:
            made = (len(game.moves) - known) // 2
            if made >= self.movestogo:
                if movestogo is None:
                    return None
                left += self.control
        return replace(self, game=game, left=left, movestogo=movestogo)


class NodesClock:
    """The clocks of both sides of one game, in nodes.

    A lock protects them: searches end in other threads.
    """

    def __init__(self) -> None:
        self._clocks: dict[bool, _Clock] = {}
        self._lock = threading.Lock()

    def limits(
        self, limits: Limits, game: Game, rate: int
    ) -> tuple[Limits, Callable[[int], None] | None]:
        """Return ``limits`` in nodes alone, at ``rate`` nodes per ms, and a charging function.

        Call that function, ``None`` without a clock, with the nodes that the search has used, just
        before its move is played.
        """
        side = 0 if game.board.turn else 1
        time, increment = side_clock(limits, side)
        movetime = None if limits.movetime is None else limits.movetime * rate
        clock = None
        if time is not None and not limits.infinite:
            with self._lock:
                clock = self._clocks.get(game.board.turn)
            movestogo = limits.movestogo if (limits.movestogo or 0) > 0 else None
            clock = clock and clock.at(game, rate, movestogo)
            clock = clock or _Clock(game, rate, time * rate, time * rate, movestogo)
            time, increment = max(1, clock.left), increment * rate
        # Time management works in any unit; in nodes, nothing is lost by rounding.
        in_nodes = replace(
            limits,
            wtime=time,
            btime=time,
            winc=increment if clock else None,
            binc=increment if clock else None,
            movetime=movetime,
        )
        soft, hard = budget(in_nodes, side, game.board.fullmove_number, 0)
        nodes = limits.nodes
        if hard is not None:
            hard = max(hard, MIN_NODES)
            nodes = hard if nodes is None else min(nodes, hard)
        left = replace(limits, nodes=nodes, soft_nodes=soft, movetime=None)
        left = replace(left, wtime=None, btime=None, winc=None, binc=None, movestogo=None)
        return left, None if clock is None else lambda used: self._charge(clock, used, increment)

    def _charge(self, clock: _Clock, used: int, increment: int) -> None:
        """Take ``used`` nodes from a clock, and add the increment of its move."""
        with self._lock:
            self._clocks[clock.game.board.turn] = replace(clock, left=clock.left - used + increment)
