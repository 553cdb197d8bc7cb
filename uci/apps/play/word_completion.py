"""What a person may be about to type: moves in SAN or UCI, orders, what follows them."""

import os
from collections.abc import Iterator
from pathlib import Path

import chess

from uci.apps.play.play_commands import ORDERS, WITH_FILES
from uci.strength.limited_strength import ELO_HIGH, ELO_LOW, FULL_LEVEL

_STEPS = {
    "level": [str(elo) for elo in range(ELO_LOW, ELO_HIGH + 1, 150)],
    "skill": [str(level) for level in range(FULL_LEVEL + 1)],
}


def completions(text: str, board: chess.Board | None) -> list[str]:
    """Return what the last word of ``text`` may become; moves where it is theirs on ``board``."""
    before, space, last = text.lstrip().rpartition(" ")
    if not space:
        return [*_moves(last, board), *_matching(last, (order.name for order in ORDERS))]
    match before.split():
        case ["level" | "skill" as order]:
            return _matching(last, [*_STEPS[order], "full"])
        case ["new"]:
            return _matching(last, ["white", "black", "random"])
        case [order, *_] if order in WITH_FILES:
            return _files(last)
    return []


def _moves(start: str, board: chess.Board | None) -> list[str]:
    if board is None or not start:
        return []
    sans, ucis = [], []
    for move in board.legal_moves:
        san = board.san(move)
        sans.append(san)
        ucis.append(move.uci())
    found = sorted(san for san in sans if san.startswith(start))
    found = found or sorted(san for san in sans if san.lower().startswith(start.lower()))
    squares = len(start) > 1 and start[0] in "abcdefgh" and start[1] in "12345678"
    return found + sorted(uci for uci in ucis if squares and uci.startswith(start) and
                          uci not in found)  # fmt: skip


def _matching(start: str, words: Iterator[str] | list[str]) -> list[str]:
    return [word for word in words if word.startswith(start.lower())]


def _files(start: str) -> list[str]:
    """Return the folders and the files of games that begin so."""
    if start == "~":
        return ["~/"]
    cut = max(start.rfind(separator) for separator in {"/", os.sep}) + 1
    shown, name = start[:cut], start[cut:]
    try:
        entries = sorted(Path(shown).expanduser().iterdir())
    except (OSError, RuntimeError):  # RuntimeError: nobody of that name has a home
        return []
    return [
        f"{shown}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if entry.name.startswith(name)
        and (not entry.name.startswith(".") or name)
        and (entry.is_dir() or entry.suffix.lower() == ".pgn")
    ]
