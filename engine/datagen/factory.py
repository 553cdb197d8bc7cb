"""Games by the thousand: one thread a core, each with a board, a table and records of its own.

A game follows from the settings and its number alone, and games are handed out in the order of
their numbers: so neither the number of threads nor an interruption changes what is made.
"""

import itertools
import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.board.position import new_position
from engine.datagen.record import PLIES, words_in
from engine.datagen.root import new_root
from engine.datagen.selfplay import GAME, play_game
from engine.search.thread import THREAD, new_thread
from engine.search.tt import Table


@dataclass(frozen=True, slots=True)
class Settings:
    """What, together with the engine, decides every game of a file.

    ``nodes`` is the soft limit of a search, at ``hard_factor`` times as many it ends at once;
    ``hash`` the megabytes of its table. The others: see `engine.datagen.selfplay.GAME`.
    """

    seed: int = 1
    nodes: int = 5000
    hard_factor: int = 8
    hash: int = 4
    chess960: int = 100
    random_plies: int = 8
    opening_limit: int = 300
    win_score: int = 1500
    win_plies: int = 4
    draw_score: int = 10
    draw_plies: int = 8
    draw_from: int = 80


class Game(NamedTuple):
    """A finished game: its words, and the nodes of its searches and of its dropped openings."""

    number: int
    words: Any
    nodes: int
    dropped_nodes: int
    dropped: int


class Player:
    """Plays one game after the other, in one thread."""

    def __init__(self, settings: Settings) -> None:
        """Allocate a board, a table and records; `MemoryError` when that cannot be had."""
        self._pos: Any = new_position()
        self._table = Table(settings.hash)
        self._thread, self._fresh = new_thread(), new_thread()
        self._table.attach(self._thread)
        self._table.attach(self._fresh)
        self._root = new_root(settings.nodes, settings.nodes * settings.hard_factor)
        self._game: Any = np.rec.array(np.zeros(1, GAME))[0]
        for name in GAME.names or ():
            if hasattr(settings, name):
                self._game[name] = getattr(settings, name)
        self._game.thread, self._game.fresh = _address(self._thread), _address(self._fresh)

    def play(self, number: int) -> Game | None:
        """Play game ``number``; ``None`` if it was halted."""
        game = self._game
        game.number = number
        if not play_game(self._pos, self._thread, self._root, game):
            return None
        words = game.words[: words_in(int(game.words[PLIES]))].copy()
        counts = (int(game[name]) for name in ("nodes", "dropped_nodes", "dropped"))
        return Game(number, words, *counts)

    def halt(self) -> None:
        """End the game that is being played, and all later ones; from any thread."""
        self._game.halt = 1


class Factory:
    """Threads that play games from number ``first`` on, until `close`."""

    def __init__(self, settings: Settings, first: int, threads: int) -> None:
        self._numbers = itertools.count(first)
        self._lock = threading.Lock()
        self._finished: queue.SimpleQueue[Game | BaseException | None] = queue.SimpleQueue()
        self._next = first
        self._waiting: dict[int, Game] = {}
        self._players = [Player(settings) for _ in range(threads)]
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(player,), name="player", daemon=True)
            for player in self._players
        ]
        for thread in self._threads:
            thread.start()

    def games(self, seconds: float) -> Iterator[Game]:
        """Wait up to ``seconds`` for a game, then yield those that are next in order.

        Raises what went wrong in a thread, if something did.
        """
        try:
            finished = self._finished.get(timeout=seconds)
            while True:
                if isinstance(finished, BaseException):
                    raise finished
                if finished is not None:
                    self._waiting[finished.number] = finished
                finished = self._finished.get_nowait()
        except queue.Empty:
            pass
        while self._next in self._waiting:
            yield self._waiting.pop(self._next)
            self._next += 1

    def close(self) -> None:
        """End the threads; what they have begun is lost."""
        self._closed = True
        for player in self._players:
            player.halt()
        for thread in self._threads:
            thread.join()

    def _work(self, player: Player) -> None:
        try:
            while not self._closed:
                with self._lock:
                    number = next(self._numbers)
                game = player.play(number)
                if game is not None:
                    self._finished.put(game)
        except BaseException as error:  # noqa: BLE001  (raised where the games are asked for)
            self._finished.put(error)


def _address(record: Any) -> int:
    """Return where a search thread's record lies in memory."""
    fields = THREAD.fields
    assert fields is not None
    return int(record.killers.ctypes.data) - fields["killers"][1]
