"""The game that is not finished, in a file after each move, for the next time the command starts.

Each process has a place of its own, which it locks: two terminals keep two games.
"""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import chess

from engine.file_lock import lock
from engine.files import replace_file
from uci.apps.play.play_level import ELO, FULL, SKILL, Level
from uci.apps.play.played_game import PlayedGame
from uci.apps.play.time_control import ChessClock, TimeControl

MOST_PLACES = 100
VERSION = 1


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game between two sittings: its start, moves in UCI, the person's side, how it is played.

    ``times`` are the seconds left to white and black, where there is a clock, ``left`` those after
    each move; ``began`` is when it began, in ISO 8601.
    """

    start: str
    moves: tuple[str, ...]
    side: str
    chess960: bool = False
    level: tuple[str, str] = (ELO, FULL)
    control: str = ""
    times: tuple[float, float] | None = None
    began: str = ""
    left: tuple[float | None, ...] = ()
    version: int = VERSION

    @classmethod
    def of(
        cls, game: PlayedGame, color: chess.Color, level: Level, clock: ChessClock | None,
        began: datetime,
    ) -> Self:  # fmt: skip
        """Return what is to be kept of a game as it stands; the person has ``color``."""
        times = clock.times() if clock else None
        return cls(
            game.start, tuple(game.moves), chess.COLOR_NAMES[color], game.chess960, level.words(),
            str(clock.control) if clock else "",
            (times[chess.WHITE], times[chess.BLACK]) if times else None,
            began.isoformat(timespec="seconds"), tuple(game.left),
        )  # fmt: skip

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Return what a file holds. Raises `ValueError`, with the reason, for a damaged one."""
        kept = json.loads(data)
        if not isinstance(kept, dict) or kept.get("version") != VERSION:
            raise ValueError("it is not a game of this version")
        try:
            game = cls(**{name: _tuple(value) for name, value in kept.items()})
            game.check()
        except (TypeError, LookupError, AttributeError) as error:
            raise ValueError(f"something is missing or wrong in it: {error}") from None
        return game

    def check(self) -> None:
        """Raise an error for what cannot be played."""
        if self.side not in chess.COLOR_NAMES or self.level[0] not in (ELO, SKILL):
            raise ValueError("it names no side or no level")
        Level.parse(*self.level)
        if self.control:
            TimeControl.parse(self.control)
            white, black = self.times or (-1.0, -1.0)
            if not (0 <= white <= 1e6 and 0 <= black <= 1e6):
                raise ValueError("its clock is wrong")
        if not all(seconds is None or 0 <= seconds <= 1e6 for seconds in self.left):
            raise ValueError("its clock is wrong")
        if self.began:
            datetime.fromisoformat(self.began)
        self.game()

    def game(self) -> PlayedGame:
        """Return the game itself. Raises `UciError`."""
        game = PlayedGame(self.start, self.moves, self.chess960)
        if len(self.left) == len(self.moves):
            game.left[:] = self.left
        return game

    def clock(self, now: Callable[[], float]) -> ChessClock | None:
        """Return the clock, stopped where it stood; None where there is none."""
        if not (self.control and self.times):
            return None
        clock = ChessClock(TimeControl.parse(self.control), now)
        clock.set(*self.times)
        return clock

    @property
    def color(self) -> chess.Color:
        """The person's side."""
        return self.side == "white"


class GamePlace:
    """A file for one game, and the lock of who writes to it."""

    def __init__(self, folder: Path) -> None:
        """Take a free place, with a game if there is one.

        Raises `OSError`, as where nothing can be kept.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        places = [folder / f"unfinished-{number}.json" for number in range(1, MOST_PLACES + 1)]
        for path in sorted(places, key=lambda path: not path.exists()):  # first those with a game
            self.path = path
            self._lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            if lock(self._lock, wait=False):
                return
            os.close(self._lock)
        raise OSError(f"{MOST_PLACES} games are open")

    def read(self) -> KeptGame | None:
        """Return the game that is kept here, if there is one.

        Raises `ValueError` for a damaged file, which is put aside, under the name in the error.
        """
        try:
            data = self.path.read_bytes()
        except OSError:
            return None
        try:
            return KeptGame.parse(data)
        except (ValueError, RecursionError) as error:
            aside = self.path.with_suffix(".damaged")
            with contextlib.suppress(OSError):
                self.path.replace(aside)
            reason = str(error).partition("\n")[0]
            raise ValueError(f"the kept game is damaged ({reason}); it is now {aside}") from None

    def keep(self, game: KeptGame) -> None:
        """Write the game as a whole. Raises `OSError`."""
        replace_file(self.path, json.dumps(asdict(game)).encode())

    def clear(self) -> None:
        """Remove it: the game is over."""
        with contextlib.suppress(OSError):
            self.path.unlink()

    def close(self) -> None:
        """Give the place up."""
        os.close(self._lock)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
