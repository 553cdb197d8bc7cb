"""What a person has asked for before the first move."""

import random
from dataclasses import dataclass, field

import chess

from uci.apps.play.play_level import Level
from uci.apps.play.played_game import PlayedGame
from uci.apps.play.time_control import TimeControl
from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number

THINK = 1000
"""Milliseconds of a move without a clock, where no time is given."""

RANDOM = "random"
SIDES = "white", "black", RANDOM


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How games begin and how the engine plays.

    ``side`` is one of `SIDES`; ``chess960`` the number of a start, -1 for any, None for none;
    ``think`` the milliseconds of a move without a clock. ``options`` are the engine's.
    """

    name: str = "You"
    side: str = "white"
    level: Level = field(default_factory=Level)
    control: TimeControl | None = None
    think: int = THINK
    ponder: bool = False
    fen: str | None = None
    chess960: int | None = None
    options: dict[str, str] = field(default_factory=dict)
    anew: bool = False

    def game(self, rng: random.Random) -> PlayedGame:
        """Return a game before its first move. Raises `UciError`."""
        if self.fen is not None:
            return PlayedGame(self.fen, chess960=self.chess960 is not None)
        if self.chess960 is None:
            return PlayedGame()
        number = self.chess960 if self.chess960 >= 0 else rng.randrange(960)
        return PlayedGame(chess.Board.from_chess960_pos(number).fen(), chess960=True)


def parse_side(text: str) -> str:
    """Return one of `SIDES` by its first letters. Raises `UciError`."""
    for side in SIDES:
        if text and side.startswith(text.lower()):
            return side
    raise UciError(f"{shorten(text) or 'nothing'} is no side: {', '.join(SIDES)}")


def color_of(side: str, rng: random.Random) -> chess.Color:
    """Return the side that is meant, drawn by lot for `RANDOM`."""
    return rng.random() < 0.5 if side == RANDOM else side == "white"


def parse_start(text: str) -> int:
    """Return the number of a start of Chess960, -1 for any. Raises `UciError`."""
    if text == RANDOM:
        return -1
    number = whole_number(text)
    if number is None or not 0 <= number < 960:
        raise UciError(f"--chess960 {shorten(text)}: 0 to 959 are possible, 518 is the usual start")
    return number
