"""Threads that share out the depths of a search, and leave one as soon as any has its result.

Both rules, and that they gain, are from a discussion on open-chess.org (topic 3097).
"""

import threading

from engine.memory.stop_signal import Signal
from engine.search.results import Iteration


class Race:
    """The depths that threads are at, and the deepest one that any has finished."""

    def __init__(self, signal: Signal, threads: int, last_depth: int) -> None:
        """Begin one of ``threads`` that listen to ``signal``, up to ``last_depth``: with 0
        everybody searches every depth."""
        self._signal, self._threads, self._last_depth = signal, threads, last_depth
        self._depths: dict[int, int] = {}
        self._latest: Iteration | None = None
        self._lock = threading.Lock()

    def enter(self, who: int, depth: int) -> int:
        """Return the depth to search next, ``depth`` or a deeper one: where half of the threads
        are as far or further already, another does not follow. ``who`` asks is a number."""
        with self._lock:
            others = [their for other, their in self._depths.items() if other != who]
            while (
                depth < self._last_depth
                and 2 * sum(their >= depth for their in others) >= self._threads
            ):
                depth += 1
            self._depths[who] = depth
        return depth

    def finish(self, found: Iteration) -> None:
        """Have the others leave the depth of an exact result, and those below it."""
        with self._lock:
            if self._depth < found.depth <= self._last_depth:
                self._latest = found
                self._signal.pass_depth(found.depth)

    def beyond(self, depth: int) -> Iteration | None:
        """Return the deepest result so far, if it is deeper than ``depth``."""
        return self._latest if self._depth > depth else None

    def end(self) -> None:
        """Have all threads end."""
        self._signal.set()

    def is_over(self) -> bool:
        """Return whether all threads are to end."""
        return self._signal.is_set()

    @property
    def _depth(self) -> int:
        return 0 if self._latest is None else self._latest.depth
