"""Several processes that look at games, and give the same as one would."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.connection import wait

from uci.analysis.analyst import Analyst, Chunk, Look, chunks

AHEAD = 3
"""Chunks of later games that wait for each process, so that none is ever without work."""

_analyst: Analyst | None = None
"""This process's, in a process of the crew."""


@dataclass(frozen=True, slots=True)
class GameToLookAt:
    """A game by its number, its start as a FEN, and its moves in UCI's notation."""

    number: int
    start: str
    moves: tuple[str, ...]


Recall = Callable[[GameToLookAt], list[Look] | None]
"""Tells what was seen in a game earlier, if it is known."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A game, and its chunks' looks to come; or what was ``known`` of it."""

    game: GameToLookAt
    parts: Sequence[Future[list[Look]]]
    known: list[Look] | None

    @property
    def unfinished(self) -> int:
        return sum(not part.done() for part in self.parts)

    def result(self) -> tuple[GameToLookAt, list[Look], bool]:
        if self.known is not None:
            return self.game, self.known, False
        return self.game, list(chain.from_iterable(part.result() for part in self.parts)), True


def look_at(
    games: Iterable[GameToLookAt], go: str, executor: Executor, jobs: int,
    recall: Recall = lambda game: None, seen: Callable[[list[Look]], None] = lambda looks: None,
) -> Iterator[tuple[GameToLookAt, list[Look], bool]]:  # fmt: skip
    """Yield the games, in their order, with what was seen in the positions, and whether it is new.

    ``go`` are the words of UCI's `go`. Games are taken as they are needed: a few more than there
    are processes. ``seen`` is told of every chunk, from any thread.
    """
    waiting: deque[_Entry] = deque()
    for game in games:
        known, parts = recall(game), []
        if known is None:
            parts = [executor.submit(_look, part) for part in chunks(game.start, game.moves, go)]
            for part in parts:
                part.add_done_callback(lambda part: _tell(part, seen))
        waiting.append(_Entry(game, parts, known))
        while waiting and (
            not waiting[0].unfinished
            or sum(entry.unfinished for entry in islice(waiting, 1, None)) >= AHEAD * jobs
        ):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _tell(part: Future[list[Look]], seen: Callable[[list[Look]], None]) -> None:
    if not part.cancelled() and part.exception() is None:
        seen(part.result())


def cores() -> int:
    """Return the number of cores that this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@contextlib.contextmanager
def crew(jobs: int, options: Mapping[str, str]) -> Iterator[Executor]:
    """Give an executor of ``jobs`` processes with an engine each, until the ``with`` ends.

    ``options`` are UCI's. However it ends, the processes end too.
    """
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(jobs, context, _begin, (dict(options),))
    try:
        yield executor
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _begin(options: Mapping[str, str]) -> None:
    """Load the engine of a process of the crew."""
    global _analyst
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the first process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _analyst = Analyst(options)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _look(chunk: Chunk) -> list[Look]:
    assert _analyst is not None
    return _analyst.look(chunk)
