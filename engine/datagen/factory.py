"""Generates games with several threads, each with a board, a table and records of its own.

A game depends only on the settings and its number, and games are delivered in order: so neither
the number of threads nor an interruption changes the result.
"""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from engine.board.annotations import Words
from engine.board.makemove import make
from engine.board.position import new_position
from engine.datagen.game_record import MOVES, NO_SCORE, PLIES, moves_end, with_lines
from engine.datagen.root import new_root, search
from engine.datagen.selfplay import GAME, go_to_start, keep_line, play_game
from engine.evaluation.shape import Network
from engine.memory.records import Record, address_of
from engine.search.thread import new_thread
from engine.search.tt import Table
from engine.syzygy.probe_entry import load_probe
from engine.syzygy.wdl_tables import Tablebases, new_cache

_RANGES = {
    "seed": (0, (1 << 63) - 1),
    "nodes": (1, 10**9),
    "hard_factor": (1, 1000),
    "hash": (1, 1 << 16),
    "chess960": (0, 1000),
    "random_moves": (0, 1000),
    "random_plies": (0, 100),
    "keep_pvs": (0, 1),
}
_OTHER_RANGE = 0, 1 << 31
"""The least and the largest value of each setting. More random plies, for one, would not fit into
the history of a position."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that, with the engine, determine every game of a file.

    ``nodes`` is the soft limit of a search, ``hard_factor`` times as many its hard one; ``hash`` is
    the size of its table in MiB. For the others see `engine.datagen.selfplay.GAME`.
    """

    seed: int = 1
    nodes: int = 5000
    hard_factor: int = 8
    hash: int = 2
    chess960: int = 100
    random_moves: int = 0
    random_plies: int = 8
    opening_limit: int = 160
    win_score: int = 530
    win_plies: int = 4
    draw_score: int = 5
    draw_plies: int = 8
    draw_from: int = 80
    table_pieces: int = 0
    keep_pvs: int = 0

    def __post_init__(self) -> None:
        """Raise `ValueError` for a value that is out of range: the kernels do not check them."""
        for field in fields(self):
            value = getattr(self, field.name)
            low, high = _RANGES.get(field.name, _OTHER_RANGE)
            if type(value) is not int or not low <= value <= high:
                raise ValueError(
                    f"setting {field.name}: {value!r:.40} is out of range {low}–{high}"
                )


class GeneratedGame(NamedTuple):
    """A finished game: its words, and the nodes of its searches and of its dropped openings."""

    words: Words
    nodes: int
    dropped_nodes: int = 0

    @property
    def positions(self) -> int:
        """Return the number of its positions, one a move."""
        return int(self.words[PLIES])


class Player:
    """Plays games, one after the other, in one thread."""

    def __init__(
        self,
        settings: Settings,
        net: Network | None = None,
        tables: Tablebases | None = None,
    ) -> None:
        """Allocate a board, a table and records; `MemoryError` if there is not enough memory.

        ``net`` replaces the engine's own network; ``tables`` adjudicate games.
        """
        self.pos = new_position()
        self._table = Table(settings.hash)
        self.th = new_thread(net)
        self._fresh = new_thread(net)
        self._table.attach(self.th)
        self._table.attach(self._fresh)
        self.root = new_root(settings.nodes, settings.nodes * settings.hard_factor)
        self.game: Record = np.rec.array(np.zeros(1, GAME))[0]
        for name in GAME.names or ():
            if hasattr(settings, name):
                self.game[name] = getattr(settings, name)
        self._tables = tables
        if tables is not None:
            self._table_cache = new_cache()
            self.game.probe, self.game.tables = load_probe(), tables.address
            self.game.table_cache = address_of(self._table_cache)
        self.game.thread, self.game.fresh = address_of(self.th), address_of(self._fresh)

    def play(self, number: int) -> GeneratedGame | None:
        """Play game ``number``; return ``None`` if it was halted."""
        game = self.game
        game.number = number
        if not play_game(self.pos, self.th, self.root, game):
            return None
        return GeneratedGame(self._words(), int(game.nodes), int(game.dropped_nodes))

    def score_again(self, words: Words) -> GeneratedGame | None:
        """Search every scored position of a game again; return the game with new scores and PVs.

        Its moves, which must be legal, and its result stay. Return ``None`` if it was halted.
        """
        pos, th, root, game, nodes = self.pos, self.th, self.root, self.game, 0
        game.words[: len(words)] = words
        game.line_words = 0
        go_to_start(pos, th, game)
        scores = game.words.view(np.int16)
        for at in range(MOVES, int(moves_end(words, 0)), 2):
            if game.halt:
                return None
            root.main_plies = 0
            if scores[at + 1] != NO_SCORE:
                search(pos, th, root)
                scores[at + 1] = root.score
                nodes += int(th.nodes)
            keep_line(root, game)
            make(pos, int(words[at]))
        return GeneratedGame(self._words(), nodes)

    def _words(self) -> Words:
        """Return the words of the game, with its PVs."""
        return with_lines(self.game.words, self.game.lines[: self.game.line_words])

    def halt(self) -> None:
        """End the game that is being played, and all later ones; from any thread."""
        self.game.halt = 1


GameTask = Callable[[Player], GeneratedGame | None]


class Factory:
    """Runs tasks in threads, one for each player, until no task is left or `close` is called."""

    gap = 0
    """Games given up before the next one: always 0 here, unlike in `RemoteFactory`."""

    def __init__(self, players: list[Player], tasks: Iterable[GameTask]) -> None:
        self._tasks = enumerate(tasks)
        self._taking = threading.Lock()
        self._finished: queue.SimpleQueue[tuple[int, GeneratedGame] | BaseException] = (
            queue.SimpleQueue()
        )
        self._waiting: dict[int, GeneratedGame] = {}
        self._next = 0
        self._players = players
        self._threads: list[threading.Thread] = []
        for player in players:
            thread = threading.Thread(target=self._work, args=(player,), name="player", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no further thread is allowed: the others play all games
                if not self._threads:
                    raise MemoryError("could not start a thread") from None
                break
            self._threads.append(thread)

    def games(self, seconds: float) -> Iterator[GeneratedGame]:
        """Wait up to ``seconds`` for a game, then yield those that are next in order.

        Raises the exception of a thread that failed.
        """
        try:
            finished = self._finished.get(timeout=seconds)
            while True:
                if isinstance(finished, BaseException):
                    raise finished
                self._waiting[finished[0]] = finished[1]
                finished = self._finished.get_nowait()
        except queue.Empty:
            pass
        while self._next in self._waiting:
            yield self._waiting.pop(self._next)
            self._next += 1

    def busy(self) -> bool:
        """Return whether games are still to come."""
        working = any(thread.is_alive() for thread in self._threads)
        return working or not self._finished.empty() or self._next in self._waiting

    def close(self) -> None:
        """End the threads; unfinished games are lost."""
        for player in self._players:
            player.halt()
        for thread in self._threads:
            thread.join()

    def _work(self, player: Player) -> None:
        try:
            while True:
                with self._taking:
                    number, task = next(self._tasks, (0, None))
                game = None if task is None else task(player)
                if game is None:
                    return
                self._finished.put((number, game))
        except BaseException as error:  # noqa: BLE001  (raised again in `games`)
            self._finished.put(error)
