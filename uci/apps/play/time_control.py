"""Time controls and clocks: ``5+3`` is five minutes plus three seconds per move."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Self

import chess

from uci.errors import UciError, shorten
from uci.protocol.commands import MAX_TIME

_NUMBER = r"[0-9]{1,4}(?:\.[0-9]{1,3})?"

MOST_MINUTES, MOST_INCREMENT = 1440.0, 3600.0


_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}) *(ms|s|min|m|)", re.IGNORECASE)
_MILLISECONDS = {"ms": 1, "": 1000, "s": 1000, "min": 60_000, "m": 60_000}


def parse_duration(option: str, text: str) -> int:
    """Return the milliseconds of ``0.3`` (seconds), ``300ms``, ``2s`` or ``1min``.

    Raises `UciError`, which names the ``option``.
    """
    found = _DURATION.fullmatch(text.strip())
    milliseconds = round(float(found[1]) * _MILLISECONDS[found[2].lower()]) if found else 0
    if not 1 <= milliseconds <= MAX_TIME:
        most = f"{MAX_TIME // 1000:,} s"
        raise UciError(f"{option} {shorten(text)}: expected 1ms to {most}, such as 2, 0.3 or 300ms")
    return milliseconds


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Seconds for the game, and the increment per move."""

    base: float
    increment: float

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the control of ``MINUTES+SECONDS``. Raises `UciError`."""
        found = re.fullmatch(rf"({_NUMBER})(?:\+({_NUMBER}))?", text.strip())
        if found is None:
            raise UciError(
                f"time control {shorten(text) or 'empty'}: expected MINUTES+SECONDS, such as 5+3"
            )
        minutes, increment = float(found[1]), float(found[2] or 0)
        if minutes > MOST_MINUTES or increment > MOST_INCREMENT or minutes + increment == 0:
            raise UciError(
                f"time control {text.strip()}: expected up to {MOST_MINUTES:.0f} minutes and"
                f" {MOST_INCREMENT:.0f} seconds per move, not both 0"
            )
        return cls(minutes * 60, increment)

    def __str__(self) -> str:
        return f"{self.base / 60:g}+{self.increment:g}"

    @property
    def in_pgn(self) -> str:
        """The value of PGN's tag ``TimeControl``."""
        return f"{self.base:g}+{self.increment:g}"


class ChessClock:
    """The time of both sides, in seconds; it runs for the side to move."""

    def __init__(self, control: TimeControl, now: Callable[[], float]) -> None:
        self.control = control
        self._now = now
        # Without a base time, a clock begins with one increment.
        self._left = dict.fromkeys(chess.COLORS, control.base or control.increment)
        self._side: chess.Color | None = None
        self._since = 0.0
        self._before: list[dict[chess.Color, float]] = []

    @property
    def side(self) -> chess.Color | None:
        """The side whose clock runs."""
        return self._side

    def left(self, side: chess.Color) -> float:
        """Return the seconds left to a side, at least 0."""
        spent = self._now() - self._since if side == self._side else 0.0
        return max(0.0, self._left[side] - spent)

    def times(self) -> dict[chess.Color, float]:
        """Return the seconds left to both sides."""
        return {side: self.left(side) for side in chess.COLORS}

    def run(self, side: chess.Color) -> None:
        """Run the clock of ``side``, and stop the other's."""
        self.stop()
        self._side, self._since = side, self._now()

    def stop(self) -> None:
        """Stop both clocks."""
        self._left = self.times()
        self._side = None

    def press(self, side: chess.Color) -> None:
        """Stop the clock after a move of ``side``; add the increment if its clock was running."""
        self._before.append(self.times())
        was_running = self._side == side
        self.stop()
        if was_running:
            self._left[side] += self.control.increment

    def go_words(self) -> str:
        """Return the clock as parameters of UCI's ``go``."""
        white, black = (max(1, int(self.left(side) * 1000)) for side in (True, False))
        increment = int(self.control.increment * 1000)
        return f"wtime {white} btime {black} winc {increment} binc {increment}"

    def take_back(self, moves: int) -> None:
        """Stop, and restore the times before the last ``moves``, as far as known."""
        self.stop()
        for _ in range(min(moves, len(self._before))):
            self._left = self._before.pop()

    def set(self, white: float, black: float) -> None:
        """Stop, and set the seconds left."""
        self._side = None
        self._left = {chess.WHITE: white, chess.BLACK: black}

    def fallen(self) -> chess.Color | None:
        """Return the side whose time is up."""
        return self._side if self._side is not None and not self.left(self._side) else None


def clock_text(seconds: float) -> str:
    """Return a time as clocks show it: ``1:02:03``, ``4:58``, with tenths below ten seconds."""
    if seconds < 10:
        return f"0:{int(seconds * 10) / 10:04.1f}"
    whole = ceil(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
