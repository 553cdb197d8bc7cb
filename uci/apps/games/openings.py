"""Names of openings, from lichess's list: ``openings.tsv``, in the public domain (CC0)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import chess


@dataclass(frozen=True, slots=True)
class Opening:
    """An ECO code, the name of the opening, and the ply at which it was reached."""

    eco: str
    name: str
    ply: int


def opening_of(boards: Iterable[chess.Board]) -> Opening | None:
    """Return the last opening in a game's positions, from the standard starting position.

    It names the line that was played, even if later moves leave theory. None for other starts.
    """
    found = None
    for ply, board in enumerate(boards):
        if ply == 0 and board.fen() != chess.STARTING_FEN:
            return None
        if ply > _LONGEST:
            break
        if entry := _table().get(board.epd()):
            found = Opening(*entry, ply)
    return found


_LONGEST = 60
"""Maximum plies to look at: the longest line has 36, and a game may transpose into it later."""


@cache
def _table() -> dict[str, tuple[str, str]]:
    """Return ECO code and name by position; the keys are EPDs without operations."""
    text = (files(__package__) / "openings.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {epd: (eco, name) for epd, eco, name in rows}
