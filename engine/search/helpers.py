"""Lazy SMP: threads that search the same position beside the leading one.

They share the transposition table (Dan Homan, 2010; Daniel José Queraltó's tests, 2013) and the
depths: see `engine.search.race`. At the end all threads vote for the move.
"""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from engine.board.types import MAX_PLY
from engine.search.iterate import Search
from engine.search.results import Iteration
from engine.search.score import MATE_IN_MAX

_VOTE_MARGIN = 14
"""Centipawns added to every score above the worst, so that the worst counts too."""


class Helper:
    """A search in a Python thread of its own, until it is stopped."""

    def __init__(self, search: Search, number: int) -> None:
        self.found: Iteration | None = None
        self._search = search
        self._name = f"helper {number + 1}"
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, if the system allows another one."""
        thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        with contextlib.suppress(RuntimeError):
            thread.start()
            self._thread = thread  # kept only if it runs: else it would keep the table alive

    def join(self) -> None:
        """Wait until it has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        for result in self._search.deepen(MAX_PLY - 1):
            if isinstance(result, Iteration) and result.bound == "exact":
                self.found = result


@contextlib.contextmanager
def idle_threads() -> Iterator[Callable[[], None]]:
    """Give a function that starts a thread, which does nothing until the context ends.

    It raises `MemoryError` when the system allows no more of them.
    """
    over, threads = threading.Event(), list[threading.Thread]()

    def start_one() -> None:
        thread = threading.Thread(target=over.wait, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise MemoryError(str(error)) from None
        threads.append(thread)

    try:
        yield start_one
    finally:
        over.set()
        for thread in threads:
            thread.join()


def vote(found: Sequence[Iteration]) -> Iteration:
    """Return the result to play, out of each thread's last one; the leader's comes first.

    A vote is weighted by depth and score (as in Stockfish). The shortest mate wins at once; a
    thread that sees itself mated is ignored if another sees no mate.
    """
    worst = min(result.score for result in found)
    votes: Counter[int] = Counter()
    for result in found:
        votes[result.pv[0]] += (result.score - worst + _VOTE_MARGIN) * result.depth
    best = found[0]
    for other in found[1:]:
        if max(abs(best.score), abs(other.score)) >= MATE_IN_MAX:
            better = other.score > best.score
        elif other.pv[0] == best.pv[0]:
            better = other.depth > best.depth
        else:
            better = votes[other.pv[0]] > votes[best.pv[0]]
        if better:
            best = other
    return best
