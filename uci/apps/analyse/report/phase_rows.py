"""The table of a game's phases: mean loss of each side, and its clock at the end."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from uci.apps.console.rounding import rounded
from uci.apps.games.analysis_document import AnalysedGame, Side

NAMES = "Opening", "Middlegame", "Endgame"


def phase_rows(game: AnalysedGame) -> list[list[str]]:
    """Return a row for each phase with moves: name and moves, then loss and clock of each side.

    The loss is the mean of a side's moves in win percentage points.
    """
    last = len(game.moves)
    end = last if game.phases.endgame is None else game.phases.endgame
    middle = end if game.phases.middlegame is None else game.phases.middlegame
    borders = pairwise((0, middle, end, last))
    return [
        [
            f"{name}, moves {game.move_number(start)} to {game.move_number(stop - 1)}",
            *_side(game, "white", range(start, stop)),
            *_side(game, "black", range(start, stop)),
        ]
        for name, (start, stop) in zip(NAMES, borders, strict=True)
        if stop > start
    ]


def clock_of(seconds: float) -> str:
    """Return seconds as ``1:02:03``."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def _side(game: AnalysedGame, side: Side, indices: Sequence[int]) -> tuple[str, str]:
    mine = [index for index in indices if game.moves[index].color == side]
    lost = list(_losses(game, side, mine))
    clocks = [game.moves[index].clock for index in mine]
    seen = [clock for clock in clocks if clock is not None]
    return rounded(fmean(lost), 1) if lost else "–", clock_of(seen[-1]) if seen else ""


def _losses(game: AnalysedGame, side: Side, indices: Sequence[int]) -> Iterator[float]:
    for index in indices:
        before, after = (each.best.win for each in game.positions[index : index + 2])
        yield max(0.0, before - after if side == "white" else after - before)
