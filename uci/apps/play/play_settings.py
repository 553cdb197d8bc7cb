"""The settings of games: level, side, starting position, time, and the engine's options."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import chess

from uci.apps.play.played_game import PlayedGame
from uci.apps.play.time_control import TimeControl
from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number
from uci.strength.limited_strength import ELO_DEFAULT, ELO_HIGH, ELO_LOW, FULL_LEVEL, LOWEST_LEVEL

ELO, SKILL, FULL = "level", "skill", "full"

THINK = 1000
"""Default milliseconds per move without a clock."""

RANDOM = "random"
SIDES = "white", "black", RANDOM


@dataclass(frozen=True, slots=True)
class Level:
    """A playing strength: ``kind`` is `ELO`, `SKILL` or `FULL`, which has no number."""

    kind: str = FULL
    number: int = 0

    @classmethod
    def parse(cls, kind: str, text: str) -> Self:
        """Return the level of ``level 1500``, ``skill 5`` or ``level full``. Raises `UciError`."""
        if text.strip().lower() == FULL:
            return cls()
        low, high = (ELO_LOW, ELO_HIGH) if kind == ELO else (LOWEST_LEVEL, FULL_LEVEL)
        number = whole_number(text.strip())
        if number is None or not low <= number <= high:
            said = shorten(text) or "nothing"
            raise UciError(f"{kind} {said}: expected {low} to {high}, or {FULL}")
        return cls(kind, number)

    @property
    def is_limited(self) -> bool:
        """Whether the strength is limited."""
        return self.kind == ELO or (self.kind == SKILL and self.number < FULL_LEVEL)

    def options(self) -> Iterator[tuple[str, str]]:
        """Yield the engine's options and their values."""
        yield "UCI_LimitStrength", str(self.kind == ELO).lower()
        yield "UCI_Elo", str(self.number if self.kind == ELO else ELO_DEFAULT)
        yield "Skill Level", str(self.number if self.kind == SKILL else FULL_LEVEL)

    def __str__(self) -> str:
        return "full strength" if self.kind == FULL else f"{self.kind} {self.number}"

    def words(self) -> tuple[str, str]:
        """Return the two arguments of `parse`."""
        return (ELO, FULL) if self.kind == FULL else (self.kind, str(self.number))


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How games begin and how the engine plays.

    ``side`` is one of `SIDES`; ``chess960`` is the number of a starting position, -1 for random,
    None for standard chess; ``think`` is in milliseconds per move without a clock. ``options`` are
    UCI options.
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
    skip_saved: bool = False

    def game(self, rng: random.Random) -> PlayedGame:
        """Return a game before its first move. Raises `UciError`."""
        if self.fen is not None:
            return PlayedGame(self.fen, chess960=self.chess960 is not None)
        if self.chess960 is None:
            return PlayedGame()
        number = self.chess960 if self.chess960 >= 0 else rng.randrange(960)
        return PlayedGame(chess.Board.from_chess960_pos(number).fen(), chess960=True)


def parse_side(text: str) -> str:
    """Return the one of `SIDES` that begins with ``text``. Raises `UciError`."""
    for side in SIDES:
        if text and side.startswith(text.lower()):
            return side
    raise UciError(f"side {shorten(text) or 'empty'}: expected {', '.join(SIDES)}")


def color_of(side: str, rng: random.Random) -> chess.Color:
    """Return the colour of a side, a random one for `RANDOM`."""
    return rng.random() < 0.5 if side == RANDOM else side == "white"


def parse_start(text: str) -> int:
    """Return the number of a Chess960 start, -1 for random. Raises `UciError`."""
    if text == RANDOM:
        return -1
    number = whole_number(text)
    if number is None or not 0 <= number < 960:
        raise UciError(
            f"--chess960 {shorten(text)}: expected 0 to 959 (518 is the standard start) or random"
        )
    return number
