"""The commands during a game, in one table for parsing, completion and help."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess

from uci.errors import UciError
from uci.strength.limited_strength import ELO_HIGH, ELO_LOW, FULL_LEVEL, LOWEST_LEVEL

_STEPS = {
    "level": [str(elo) for elo in range(ELO_LOW, ELO_HIGH + 1, 150)],
    "skill": [str(level) for level in range(LOWEST_LEVEL, FULL_LEVEL + 1)],
}


@dataclass(frozen=True, slots=True)
class PlayCommand:
    """A command: its word, its argument, and its description."""

    name: str
    takes: str
    does: str

    @property
    def usage(self) -> str:
        """The word and its argument."""
        return f"{self.name} {self.takes}".strip()


COMMANDS = (
    PlayCommand("move", "", "make the engine move now; so does Enter"),
    PlayCommand("undo", "", "take back your last move and the engine's answer"),
    PlayCommand("hint", "", "show a good move for you, with its variation"),
    PlayCommand("threat", "", "show what the opponent would play if you passed"),
    PlayCommand("why", "", "explain the engine's last move"),
    PlayCommand("eval", "", "evaluate the position"),
    PlayCommand("draw", "", "offer a draw"),
    PlayCommand("resign", "", "resign the game"),
    PlayCommand("flip", "", "flip the board"),
    PlayCommand("level", "ELO", "set the engine's Elo: 500 to 2900, or full"),
    PlayCommand("skill", "N", "set the engine's skill: -7 to 20, or full"),
    PlayCommand("save", "FILE.pgn", "append the game to a PGN file"),
    PlayCommand("load", "FILE.pgn", "resume the last game of a PGN file"),
    PlayCommand("new", "[SIDE]", "start a new game with white or black"),
    PlayCommand("pgn", "", "print the game as PGN"),
    PlayCommand("analyse", "", "analyse the finished game"),
    PlayCommand("quit", "", "save the game and quit"),
    PlayCommand("help", "", "print this list"),
)

WITH_FILES = ("save", "load")

_NAMES = {command.name: command for command in COMMANDS} | {
    "exit": next(command for command in COMMANDS if command.name == "quit"),
    "?": next(command for command in COMMANDS if command.name == "help"),
}


def parse_play_command(text: str) -> tuple[str, str] | None:
    """Return a command's name and argument; None for other text, such as a move.

    Raises `UciError` if an argument is missing or not allowed.
    """
    word, _, rest = text.strip().partition(" ")
    command = _NAMES.get(word.lower())
    if command is None:
        return None
    rest = rest.strip()
    if rest and not command.takes:
        raise UciError(f"{command.name} takes no argument")
    if not rest and command.takes and not command.takes.startswith("["):
        raise UciError(f"{command.name}: expected {command.usage}")
    return command.name, rest


def help_lines() -> list[str]:
    """Return the lines that `help` prints."""
    width = max(len(command.usage) for command in COMMANDS)
    return [
        "Type moves as Nf3 or g1f3, e8=Q or e7e8q, O-O; Tab completes.",
        *(f"{command.usage:{width}}  {command.does}" for command in COMMANDS),
    ]


def completions(text: str, board: chess.Board | None) -> list[str]:
    """Return completions of the last word of ``text``, including moves at the person's turn."""
    before, space, last = text.lstrip().rpartition(" ")
    if not space:
        return [*_moves(last, board), *_matching(last, (command.name for command in COMMANDS))]
    match before.split():
        case ["level" | "skill" as command]:
            return _matching(last, [*_STEPS[command], "full"])
        case ["new"]:
            return _matching(last, ["white", "black", "random"])
        case [command, *_] if command in WITH_FILES:
            return _files(last)
    return []


def _moves(start: str, board: chess.Board | None) -> list[str]:
    if board is None or not start:
        return []
    sans = sorted(map(board.san, board.legal_moves))
    found = [san for san in sans if san.startswith(start)]
    found = found or [san for san in sans if san.lower().startswith(start.lower())]
    squares = len(start) > 1 and start[0] in "abcdefgh" and start[1] in "12345678"
    ucis = sorted(move.uci() for move in board.legal_moves) if squares else []
    return found + [uci for uci in ucis if uci.startswith(start) and uci not in found]


def _matching(start: str, words: Iterator[str] | list[str]) -> list[str]:
    return [word for word in words if word.startswith(start.lower())]


def _files(start: str) -> list[str]:
    """Return the folders and PGN files whose path begins with ``start``."""
    if start == "~":
        return ["~/"]
    cut = max(start.rfind(separator) for separator in {"/", os.sep}) + 1
    shown, name = start[:cut], start[cut:]
    try:
        entries = sorted(Path(shown).expanduser().iterdir())
    except (OSError, RuntimeError):  # RuntimeError: no home folder of that user
        return []
    return [
        f"{shown}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if entry.name.startswith(name)
        and (not entry.name.startswith(".") or name)
        and (entry.is_dir() or entry.suffix.lower() == ".pgn")
    ]
