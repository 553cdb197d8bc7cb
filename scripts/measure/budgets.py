"""Show how the engine would spend its clock over a game.

Usage: python -m scripts.measure.budgets 60+0.6, 40/300, 10+0.1 … (moves/seconds+increment)
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.search.limits import Limits, budget
from scripts.console import print_table


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control in milliseconds; ``moves`` until the clock is refilled, 0 for never."""

    moves: int
    time: int
    increment: int

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Parse ``moves/seconds+increment``. Raises `ValueError`."""
        found = re.fullmatch(r"(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", text)
        if found is None:
            raise ValueError(f"not a time control: {text}")
        moves, seconds, increment = found.groups()
        return cls(int(moves or 0), _milliseconds(seconds), _milliseconds(increment or "0"))


@dataclass(frozen=True, slots=True)
class Move:
    """One move of the game, in milliseconds: the clock before it, its limits, the time it takes."""

    number: int
    clock: int
    soft: int
    hard: int
    spent: int


def game(control: TimeControl, overhead: int, stretch: float, moves: int) -> Iterator[Move]:
    """Yield a game's moves, each taking ``stretch`` times its soft limit, at most the hard limit.

    Each move also loses the ``overhead`` (ms). The game ends early if the flag falls.
    """
    clock = control.time
    for number in range(1, moves + 1):
        togo = control.moves - (number - 1) % control.moves if control.moves else None
        limits = Limits(wtime=clock, winc=control.increment, movestogo=togo)
        soft, hard = budget(limits, 0, number, overhead)
        assert soft is not None
        assert hard is not None
        spent = min(round(soft * stretch), hard)
        yield Move(number, clock, soft, hard, spent)
        clock -= spent + overhead
        if clock < 0:
            return
        clock += control.increment + (control.time if togo == 1 else 0)


HEADER = "move", "clock", "soft", "hard", "spent", "of clock"


def table(moves: Sequence[Move], every: int) -> Iterator[tuple[str, ...]]:
    """Yield rows for the first, every ``every``-th, and the last of ``moves``."""
    for move in moves:
        if move.number == 1 or move.number % every == 0 or move is moves[-1]:
            share = 100 * move.spent / max(1, move.clock)
            yield (
                *(f"{move.number}", f"{move.clock / 1000:.2f} s", f"{move.soft}", f"{move.hard}"),
                *(f"{move.spent}", f"{share:.1f} %"),
            )


def _milliseconds(seconds: str) -> int:
    return round(float(seconds) * 1000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="budgets", description=__doc__.splitlines()[0])
    parser.add_argument("control", nargs="*", default=["60+0.6", "4+0.04", "60", "40/60"])
    parser.add_argument("--overhead", type=int, default=20, help="Move Overhead in ms (20)")
    parser.add_argument(
        "--stretch", type=float, default=1.0, help="multiple of the soft limit per move (1.0)"
    )
    parser.add_argument("--moves", type=int, default=80, help="length of the game in moves (80)")
    parser.add_argument("--every", type=int, default=5, help="show every N-th move (5)")
    options = parser.parse_args(arguments)
    for text in options.control:
        try:
            control = TimeControl.parse(text)
        except ValueError as error:
            parser.error(str(error))
        moves = list(game(control, options.overhead, options.stretch, options.moves))
        print(f"\n{text}, soft and hard limits in milliseconds, overhead {options.overhead}")
        print_table(HEADER, table(moves, options.every))
        if len(moves) < options.moves:
            print(f"the flag falls after {len(moves)} moves")
    return 0


if __name__ == "__main__":
    sys.exit(main())
