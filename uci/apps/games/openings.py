"""Names of openings, from lichess's list: ``openings.tsv``, in the public domain (CC0)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import chess


@dataclass(frozen=True, slots=True)
class Opening:
    """A code of the Encyclopaedia of Chess Openings, a name, and the ply that reached it."""

    eco: str
    name: str
    ply: int


def opening_of(boards: Iterable[chess.Board]) -> Opening | None:
    """Return the last opening that the positions of a game reach, from the usual start.

    It says which line was played, not that it is theory. None for other starts.
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
"""Plies: the longest line of the list has 36, and a game may lose time on its way."""


@cache
def _table() -> dict[str, tuple[str, str]]:
    """Return code and name by position, in EPD without operations."""
    text = (files(__package__) / "openings.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {epd: (eco, name) for epd, eco, name in rows}
