"""Lazy SMP: threads that search the same position as the leading one.

They share the transposition table (Dan Homan, 2010; Daniel José Queraltó's tests, 2013) and the
depths: see `engine.search.race`.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence

from engine.board.types import MAX_PLY
from engine.search.iterate import Search


class Helpers:
    """Searches in Python threads of their own, until they are stopped.

    Each thread starts the next one before it searches: so a search that ends at once waits for
    few of them, however many there are.
    """

    def __init__(self, searches: Sequence[Search], is_over: Callable[[], bool]) -> None:
        """Prepare threads for ``searches``; none is started once ``is_over()`` is true."""
        self._searches = searches
        self._is_over = is_over
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the next thread, if there is one and the system allows it."""
        number = len(self._threads)
        if number == len(self._searches) or self._is_over():
            return
        thread = threading.Thread(
            target=self._run, args=(number,), name=f"helper {number + 1}", daemon=True
        )
        self._threads.append(thread)
        try:
            thread.start()
        except RuntimeError:
            self._threads.remove(thread)

    def join(self) -> None:
        """Wait until all have ended."""
        for thread in self._threads:  # each has started the next one by its end
            thread.join()

    def _run(self, number: int) -> None:
        self.start()
        for _ in self._searches[number].deepen(MAX_PLY - 1):
            pass


@contextlib.contextmanager
def idle_threads() -> Iterator[Callable[[], None]]:
    """Yield a function that starts an idle thread; all of these end with the context.

    The function raises `MemoryError` if the system allows no more threads.
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
