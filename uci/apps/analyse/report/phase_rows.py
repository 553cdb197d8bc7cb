"""What each side lost in the phases of a game, and what its clock showed at their ends."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from uci.apps.console.rounding import rounded
from uci.apps.games.analysis_document import Json

NAMES = "Opening", "Middlegame", "Endgame"


def phase_rows(game: Json) -> list[list[str]]:
    """Return a row for each phase with moves: its name and moves; White's loss and clock, Black's.

    The loss is the mean of a side's moves in points of winning chances.
    """
    last = len(game["moves"])
    end = last if game["phases"]["endgame"] is None else game["phases"]["endgame"]
    middle = end if game["phases"]["middlegame"] is None else game["phases"]["middlegame"]
    borders = pairwise((0, middle, end, last))
    return [
        [f"{name}, moves {number_of(game, start)} to {number_of(game, stop - 1)}",
         *(word for side in ("white", "black") for word in _side(game, side, range(start, stop)))]
        for name, (start, stop) in zip(NAMES, borders, strict=True) if stop > start
    ]  # fmt: skip


def number_of(game: Json, index: int) -> int:
    """Return the number of a move, as players count; ``index`` is from 0."""
    start: str = game["positions"][0]["fen"]
    _, turn, _, _, _, number = start.split()
    return int(number) + (index + (turn == "b")) // 2


def clock_of(seconds: float) -> str:
    """Return ``1:02:03``."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _side(game: Json, side: str, indices: Sequence[int]) -> tuple[str, str]:
    mine = [index for index in indices if game["moves"][index]["color"] == side]
    lost = list(_losses(game, side, mine))
    clocks = [game["moves"][index].get("clock") for index in mine]
    seen = [clock for clock in clocks if clock is not None]
    return rounded(fmean(lost), 1) if lost else "–", clock_of(seen[-1]) if seen else ""


def _losses(game: Json, side: str, indices: Sequence[int]) -> Iterator[float]:
    for index in indices:
        before, after = (
            position["lines"][0]["win"] if position["lines"] else 50
            for position in game["positions"][index : index + 2]
        )
        yield max(0.0, before - after if side == "white" else after - before)
