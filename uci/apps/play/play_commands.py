"""The commands at the board, in one table that is parsed, completed and printed."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess

from uci.errors import UciError
from uci.strength.limited_strength import ELO_HIGH, ELO_LOW, FULL_LEVEL

_STEPS = {
    "level": [str(elo) for elo in range(ELO_LOW, ELO_HIGH + 1, 150)],
    "skill": [str(level) for level in range(FULL_LEVEL + 1)],
}


@dataclass(frozen=True, slots=True)
class PlayCommand:
    """A word, what may follow it, and what it does."""

    name: str
    takes: str
    does: str

    @property
    def usage(self) -> str:
        """The word and what follows it."""
        return f"{self.name} {self.takes}".strip()


COMMANDS = (
    PlayCommand("move", "", "have me move now, while I think; Enter does too"),
    PlayCommand("undo", "", "take back your last move, and my answer"),
    PlayCommand("hint", "", "a good move for you, with the line behind it"),
    PlayCommand("why", "", "why I made my last move: the line that I saw"),
    PlayCommand("eval", "", "who stands better, and the chances"),
    PlayCommand("draw", "", "offer a draw"),
    PlayCommand("resign", "", "give up"),
    PlayCommand("flip", "", "turn the board"),
    PlayCommand("level", "ELO", "play as strongly as that: 1350 to 2900, or full"),
    PlayCommand("skill", "N", "0 to 20, or full"),
    PlayCommand("save", "FILE.pgn", "add the game to a file"),
    PlayCommand("load", "FILE.pgn", "go on with the last game of a file"),
    PlayCommand("new", "[SIDE]", "a new game, with white or black"),
    PlayCommand("pgn", "", "show the game in PGN"),
    PlayCommand("analyse", "", "when it is over: judge each move"),
    PlayCommand("quit", "", "leave; the game is kept"),
    PlayCommand("help", "", "this list"),
)

WITH_FILES = ("save", "load")

_NAMES = {command.name: command for command in COMMANDS} | {
    "exit": next(command for command in COMMANDS if command.name == "quit"),
    "?": next(command for command in COMMANDS if command.name == "help"),
}


def parse_play_command(text: str) -> tuple[str, str] | None:
    """Return an command's name and what follows it; None for what is none, such as a move.

    Raises `UciError` where something is missing or too much.
    """
    word, _, rest = text.strip().partition(" ")
    command = _NAMES.get(word.lower())
    if command is None:
        return None
    rest = rest.strip()
    if rest and not command.takes:
        raise UciError(f"{command.name} takes nothing after it")
    if not rest and command.takes and not command.takes.startswith("["):
        raise UciError(f"{command.name} what? {command.usage}")
    return command.name, rest


def help_lines() -> list[str]:
    """Return what `help` prints."""
    width = max(len(command.usage) for command in COMMANDS)
    return [
        "Moves are typed as Nf3 or g1f3, e8=Q or e7e8q, O-O; Tab completes.",
        *(f"{command.usage:{width}}  {command.does}" for command in COMMANDS),
    ]


def completions(text: str, board: chess.Board | None) -> list[str]:
    """Return what the last word of ``text`` may become; moves where it is theirs on ``board``."""
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
    except (OSError, RuntimeError):  # RuntimeError: no user of that name has a home
        return []
    return [
        f"{shown}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if entry.name.startswith(name)
        and (not entry.name.startswith(".") or name)
        and (entry.is_dir() or entry.suffix.lower() == ".pgn")
    ]
