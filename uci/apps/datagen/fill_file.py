"""Adds games to a file as they are played: by threads, or by the workers of a cluster.

Games are written in blocks, in the order of their numbers. A signal stops the games, and those that
are finished are kept.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.datagen.factory import Factory, GameTask, GeneratedGame, Player, Settings
from engine.datagen.game_file import Appender
from uci.apps.console.signals import handled
from uci.apps.datagen.game_progress import GameProgress
from uci.apps.engines.scheduler import Scheduler
from uci.errors import UciError

if TYPE_CHECKING:
    from uci.apps.datagen.remote_factory import RemoteFactory

GAMES_PER_BLOCK = 32


def fill(
    file: Appender,
    players: list[Player],
    tasks: Callable[[int], Iterator[GameTask]],
    progress: GameProgress,
) -> None:
    """Add the games of the tasks to the file, from the first that is missing."""
    if file.last is not None:
        _check_last(file, next((task(players[0]) for task in tasks(file.next - 1)), None))
    with progress, _interrupts() as interrupted:
        progress.start()
        factory = Factory(players, tasks(file.next))
        try:
            _collect(file, factory, progress, interrupted)
        finally:
            factory.close()
            progress.finish()


def fill_by_workers(
    file: Appender, settings: Settings, scheduler: Scheduler, progress: GameProgress
) -> None:
    """Add the games to the file, played by the workers of a cluster."""
    from uci.apps.datagen.remote_factory import RemoteFactory, play_one
    from uci.apps.engines.make_executor import make_executor

    with progress, make_executor(0, scheduler, progress.say) as executor:
        progress.executor = executor
        if file.last is not None:
            _check_last(file, play_one(executor, settings, file.next - 1))
        with _interrupts() as interrupted:
            progress.start()
            factory = RemoteFactory(executor, settings, file.next)
            try:
                _collect(file, factory, progress, interrupted)
            finally:
                progress.finish()
                for line in (*factory.lost, *executor.summary):
                    progress.say(line)


def _check_last(file: Appender, again: GeneratedGame | None) -> None:
    """Raise `UciError` unless replaying the last game of a file gave the same game."""
    assert file.last is not None
    if again is None or again.words.tolist() != file.last.tolist():
        raise UciError("the file was written by another version of the engine: use a new file")


def _collect(
    file: Appender,
    factory: "Factory | RemoteFactory",
    progress: GameProgress,
    interrupted: threading.Event,
) -> None:
    block: list[NDArray[np.uint16]] = []

    def keep() -> None:
        games = block.copy()
        block.clear()
        file.append(games)

    try:
        while factory.busy() and not progress.reached() and not interrupted.is_set():
            for game in factory.games(0.2):
                block.append(game.words)
                progress.count(game.positions, game.nodes)
                if len(block) == GAMES_PER_BLOCK:
                    keep()
                if progress.reached():
                    break
            if factory.gap:
                keep()
                file.next += factory.gap
                factory.gap = 0
            progress.show()
    finally:  # keep the played games even if the scheduler or the output is gone
        keep()


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
    """Make Ctrl-C, SIGTERM and SIGHUP set an event, so that they never interrupt a write."""
    event = threading.Event()
    with handled(lambda *_: event.set()):
        yield event
