"""Files of games: the unfinished one, written after each move, and all finished ones.

Each process locks a slot of its own, so two terminals have two unfinished games.
"""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

import chess

from engine.file_lock import lock
from engine.files import replace_file
from uci.apps.games.typed_json import from_json
from uci.apps.play.play_settings import ELO, FULL, SKILL, Level
from uci.apps.play.played_game import PlayedGame
from uci.apps.play.time_control import ChessClock, TimeControl

MAX_SLOTS = 100
VERSION = 1


@dataclass(frozen=True, slots=True)
class SavedGame:
    """An unfinished game: its start, moves in UCI notation, the person's side, and settings.

    ``times`` are the seconds left to white and black, if there is a clock; ``left`` those after
    each move; ``began`` is the start time in ISO 8601.
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
        """Return the saved form of the current game; the person plays ``color``."""
        times = clock.times() if clock else None
        return cls(
            game.start, tuple(game.moves), chess.COLOR_NAMES[color], game.chess960, level.words(),
            str(clock.control) if clock else "",
            (times[chess.WHITE], times[chess.BLACK]) if times else None,
            began.isoformat(timespec="seconds"), tuple(game.left),
        )  # fmt: skip

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Return the contents of a file. Raises `ValueError` with the reason if it is damaged."""
        fields = json.loads(data)
        if not isinstance(fields, dict) or fields.get("version") != VERSION:
            raise ValueError("not a game of this version")
        game = from_json(cls, fields)
        game.check()
        return game

    def check(self) -> None:
        """Raise `ValueError` or `UciError` for invalid values."""
        is_level = len(self.level) == 2 and self.level[0] in (ELO, SKILL)
        if self.side not in chess.COLOR_NAMES or not is_level:
            raise ValueError("side or level is missing")
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
        """Return the clock, stopped, with the saved times; None if there is none."""
        if not (self.control and self.times):
            return None
        clock = ChessClock(TimeControl.parse(self.control), now)
        clock.set(*self.times)
        return clock

    @property
    def color(self) -> chess.Color:
        """The person's side."""
        return self.side == "white"


class SavedGames:
    """The folder of a person's games. ``say`` is called with messages about failures."""

    def __init__(self, folder: Path | None, say: Callable[[str], None]) -> None:
        """Lock a slot for the unfinished game; without a ``folder`` nothing is saved."""
        self._folder, self._say = folder, say
        self._slot: Path | None = None
        self._lock = -1
        self._has_failed = False
        if folder is None:
            say("There is no home folder: games are not saved.")
            return
        try:
            self._slot, self._lock = _locked_slot(folder)
        except OSError as error:
            self._report(error)

    def unfinished(self) -> SavedGame | None:
        """Return the unfinished game, if there is one; a damaged file is renamed."""
        if self._slot is None:
            return None
        try:
            return SavedGame.parse(self._slot.read_bytes())
        except OSError:
            return None
        except (ValueError, RecursionError) as error:
            aside = self._slot.with_suffix(".damaged")
            with contextlib.suppress(OSError):
                self._slot.replace(aside)
            reason = str(error).partition("\n")[0]
            self._say(f"the saved game is damaged ({reason}); it was renamed to {aside}")
            return None

    def save_unfinished(self, game: SavedGame | None) -> bool:
        """Save an unfinished game, or remove it; return whether one is saved."""
        if self._slot is None:
            return False
        if game is None or not game.moves:
            with contextlib.suppress(OSError):
                self._slot.unlink()
            return False
        try:
            replace_file(self._slot, json.dumps(asdict(game)).encode())
        except OSError as error:
            self._report(error)
            return False
        self._has_failed = False
        return True

    def add_finished(self, pgn: str) -> str:
        """Write a finished game to a file of its own; return its path, or an empty text."""
        if self._folder is None:
            return ""
        folder = self._folder / "games"
        stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path, number = folder / f"{stamp}.pgn", 1
            while path.exists():
                path, number = folder / f"{stamp}-{number}.pgn", number + 1
            with path.open("x", encoding="utf-8") as file:
                file.write(pgn)
        except OSError as error:
            self._report(error)
            return ""
        return str(path)

    def close(self) -> None:
        """Unlock the slot."""
        if self._slot is not None:
            os.close(self._lock)

    def _report(self, error: OSError) -> None:
        """Report only the first of several failures; the next move tries again."""
        if not self._has_failed:
            self._say(f"Could not save games in {self._folder}: {error.strerror or error}.")
        self._has_failed = True


def _locked_slot(folder: Path) -> tuple[Path, int]:
    """Return the file of a free slot, preferably one with a game, and its lock.

    Raises `OSError`, also if all slots are locked.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    slots = [folder / f"unfinished-{number}.json" for number in range(1, MAX_SLOTS + 1)]
    for path in sorted(slots, key=lambda path: not path.exists()):
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        if lock(descriptor, wait=False):
            return path, descriptor
        os.close(descriptor)
    raise OSError(f"all {MAX_SLOTS} slots for games are in use")
