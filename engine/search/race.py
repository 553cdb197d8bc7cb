"""The depths of a search's threads: each thread leaves a depth as soon as another has finished it.

Both rules, and the gain from them, are from a discussion on open-chess.org (topic 3097).
"""

import threading

from engine.memory.stop_signal import Signal
from engine.search.results import Iteration


class Race:
    """The depth of each thread, and the deepest result so far."""

    def __init__(self, signal: Signal, threads: int, last_depth: int) -> None:
        """Let ``threads`` search up to ``last_depth`` and obey ``signal``.

        With a ``last_depth`` of 0 every thread searches every depth.
        """
        self._signal, self._threads, self.last_depth = signal, threads, last_depth
        self._depths: dict[int, int] = {}
        self._latest: Iteration | None = None
        self._lock = threading.Lock()

    def enter(self, who: int, depth: int) -> int:
        """Return the depth that thread ``who`` searches next: ``depth``, or a deeper one if half
        of the threads are at this depth or beyond."""
        with self._lock:
            others = [their for other, their in self._depths.items() if other != who]
            while (
                depth < self.last_depth
                and 2 * sum(their >= depth for their in others) >= self._threads
            ):
                depth += 1
            self._depths[who] = depth
        return depth

    def finish(self, found: Iteration) -> None:
        """Make the other threads leave the depth of this exact result, and those below it."""
        with self._lock:
            if self._depth < found.depth <= self.last_depth:
                self._latest = found
                self._signal.pass_depth(found.depth)

    def beyond(self, depth: int) -> Iteration | None:
        """Return the deepest result so far if it is deeper than ``depth``."""
        return self._latest if self._depth > depth else None

    def deepest(self, other: Iteration | None) -> Iteration | None:
        """Return the deepest result so far, or the ``other`` one if it is as deep."""
        return self.beyond(0 if other is None else other.depth) or other

    def end(self) -> None:
        """Stop all threads."""
        self._signal.set()

    def is_over(self) -> bool:
        """Return whether all threads were stopped."""
        return self._signal.is_set()

    @property
    def _depth(self) -> int:
        return 0 if self._latest is None else self._latest.depth
