"""Generates games on the workers of a cluster, in ranges of game numbers.

A game depends only on the settings and its number, and games are delivered in order: they are the
same as those that this machine would play.
"""

import queue
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial
from itertools import count as numbers
from typing import TYPE_CHECKING

from uci.apps.engines.client import TaskStopped
from uci.apps.engines.executor import AHEAD, TaskExecutor, TaskLost, wait_for
from uci.apps.engines.task_worker import count, keep
from uci.errors import UciError

if TYPE_CHECKING:
    from engine.datagen.factory import GeneratedGame, Settings

NODES_PER_TASK = 6_000_000
"""Games per task: some seconds, on most machines."""

PLIES_PER_GAME = 100
MOST_GAMES_PER_TASK = 64

RemoteGame = tuple[bytes, int]
"""A game's 16-bit words, little-endian, and its nodes."""


class RemotePlayer:
    """Plays games in a worker."""

    def __init__(self, settings: Mapping[str, int]) -> None:
        """Load the engine. Raises `MemoryError`."""
        from engine.datagen.factory import Player, Settings
        from engine.jit import kernel

        kernel.warm()
        self._player = Player(Settings(**settings))

    def play(self, number: int) -> RemoteGame:
        """Play a game. Raises `TaskStopped`."""
        game = self._player.play(number)
        if game is None:
            raise TaskStopped
        count(game.nodes + game.dropped_nodes)
        return game.words.astype("<u2").tobytes(), game.nodes

    def stop(self) -> None:
        """Stop the current game and all later ones; callable from any thread."""
        self._player.halt()

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def play_games(settings: Mapping[str, int], first: int, games: int) -> list[RemoteGame]:
    """Play ``games`` games from number ``first`` on: a task for an executor.

    Raises `TaskStopped`, `MemoryError`.
    """
    player = keep(RemotePlayer, settings)
    return [player.play(number) for number in range(first, first + games)]


def play_one(executor: TaskExecutor, settings: "Settings", number: int) -> "GeneratedGame":
    """Return a game that a worker plays. Raises `UciError`, and the task's exceptions."""
    try:
        [played] = wait_for(executor.submit(play_games, asdict(settings), number, 1)).result()
    except TaskLost as error:
        raise UciError(f"could not replay game {number:,}: {error}") from None
    return _generated(played)


class RemoteFactory:
    """Generates games on workers, from number ``first`` on.

    ``gap`` is the number of games that failed before the next one; ``lost`` has a line on each
    failure.
    """

    def __init__(self, executor: TaskExecutor, settings: "Settings", first: int) -> None:
        """Start. Raises `UciError` if the scheduler is gone, as `games` does."""
        self._executor, self._settings = executor, asdict(settings)
        self._games = max(
            1, min(MOST_GAMES_PER_TASK, NODES_PER_TASK // (PLIES_PER_GAME * settings.nodes))
        )
        self._firsts = numbers(first, self._games)
        self._next = first
        self._running = 0
        self._finished: queue.SimpleQueue[tuple[int, Future[list[RemoteGame]]]]
        self._finished = queue.SimpleQueue()
        self._waiting: dict[int, list[RemoteGame]] = {}
        self.gap = 0
        self.lost: list[str] = []
        self._hand_out()

    def games(self, seconds: float) -> "Iterator[GeneratedGame]":
        """Wait up to ``seconds`` for games, then yield those that are next in order.

        It ends before a gap, and continues after it when `gap` has been read and set to 0. Raises
        `UciError`, and a task's exceptions.
        """
        try:
            self._take(*self._finished.get(timeout=seconds))
            while True:
                self._take(*self._finished.get_nowait())
        except queue.Empty:
            pass
        self._hand_out()
        while not self.gap and self._next in self._waiting:
            played = self._waiting.pop(self._next)
            self._next += self._games
            self.gap = 0 if played else self._games
            yield from map(_generated, played)

    def busy(self) -> bool:
        """Return True: more games always come, since there is no last number."""
        return True

    def _take(self, first: int, done: "Future[list[RemoteGame]]") -> None:
        self._running -= 1
        try:
            self._waiting[first] = done.result()
        except TaskLost as error:
            self._waiting[first] = []
            last = first + self._games - 1
            self.lost.append(f"pythagoras: games {first:,} to {last:,} skipped: {error}")

    def _hand_out(self) -> None:
        """Keep a few tasks ahead, but not too many if the next one in order is late."""
        size = max(self._executor.size, 1)
        while self._running < AHEAD * size and len(self._waiting) < 2 * AHEAD * size:
            first = next(self._firsts)
            done = self._executor.submit(play_games, self._settings, first, self._games)
            self._running += 1
            done.add_done_callback(partial(self._put, first))

    def _put(self, first: int, done: "Future[list[RemoteGame]]") -> None:
        self._finished.put((first, done))


def _generated(played: RemoteGame) -> "GeneratedGame":
    import numpy as np

    from engine.datagen.factory import GeneratedGame

    words, nodes = played
    return GeneratedGame(np.frombuffer(words, "<u2").astype(np.uint16), nodes)
