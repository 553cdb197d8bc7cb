"""Several processes that look at games, and give the same as one would."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import wait

from uci.analysis.analyst import Analyst, Chunk, Look, chunks

AHEAD = 3
"""Chunks that wait for each process, so that none is ever without work."""

_analyst: Analyst | None = None
"""This process's, in a process of the crew."""


@dataclass(frozen=True, slots=True)
class GameToLookAt:
    """A game by its number, its start as a FEN, and its moves in UCI's notation."""

    number: int
    start: str
    moves: tuple[str, ...]


def look_at(
    games: Iterable[GameToLookAt], go: str, executor: Executor, jobs: int
) -> Iterator[tuple[GameToLookAt, list[Look]]]:
    """Yield the games, in their order, with what was seen in the positions of each.

    ``go`` are the words of UCI's `go`. Games are taken as they are needed: a few more than there
    are processes.
    """
    waiting: deque[tuple[GameToLookAt, list[Future[list[Look]]]]] = deque()
    for game in games:
        parts = [executor.submit(_look, part) for part in chunks(game.start, game.moves, go)]
        waiting.append((game, parts))
        while waiting and (_is_done(waiting[0]) or _unfinished(waiting) >= AHEAD * jobs):
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _is_done(entry: tuple[GameToLookAt, list[Future[list[Look]]]]) -> bool:
    return all(part.done() for part in entry[1])


def _unfinished(waiting: Iterable[tuple[GameToLookAt, list[Future[list[Look]]]]]) -> int:
    return sum(not part.done() for _, parts in waiting for part in parts)


def _result(
    entry: tuple[GameToLookAt, list[Future[list[Look]]]],
) -> tuple[GameToLookAt, list[Look]]:
    game, parts = entry
    return game, list(chain.from_iterable(part.result() for part in parts))


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
