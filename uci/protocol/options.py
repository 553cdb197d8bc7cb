"""The UCI options: one table that declares and parses them."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from uci import __version__
from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number
from uci.strength.contempt import MAX_CONTEMPT
from uci.strength.limited_strength import (
    ELO_DEFAULT,
    ELO_HIGH,
    ELO_LOW,
    FULL_LEVEL,
    LOWEST_LEVEL,
)

OptionValue = int | bool | str | None

T = TypeVar("T")

EMPTY_STRING = "<empty>"
"""UCI's notation of an empty string."""

ABOUT = (
    f"Pythagoras {__version__}, a chess engine in Python, compiled by numba;"
    " free software under the GNU General Public License, version 3 or later"
)


def try_path(path: str, use: Callable[[str], T]) -> T:
    """Return ``use(path)``; if that fails, try the path without surrounding spaces and quotes.

    A path of spaces and quotes only is empty. Raises the exception of the last attempt.
    """
    bare = path.strip(" \t\"'")
    if bare not in ("", path):
        try:
            return use(path)
        except (OSError, ValueError):
            pass
    return use(bare)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the engine.

    ``low`` and ``high`` bound a spin; a ``fixed`` string is read-only; ``doc`` is its description.
    """

    name: str
    kind: str
    doc: str
    default: OptionValue = None
    low: int = 0
    high: int = 0
    fixed: bool = False

    def declare(self) -> str:
        """Return the line that declares it after ``uci``."""
        line = f"option name {self.name} type {self.kind}"
        match self.kind:
            case "spin":
                return f"{line} default {self.default} min {self.low} max {self.high}"
            case "check":
                return f"{line} default {str(self.default).lower()}"
            case "string":
                return f"{line} default {self.default or EMPTY_STRING}"
        return line

    def parse(self, text: str | None) -> OptionValue:
        """Return the value of ``text``; strings keep their spaces and case.

        Raises `UciError` for a value of the wrong kind or out of range.
        """
        word = "" if text is None else text.strip()
        match self.kind:
            case "button":
                return None
            case "string":
                return self.default if self.fixed else "" if word == EMPTY_STRING else text or ""
            case "check" if word.lower() in ("true", "false"):
                return word.lower() == "true"
            case "check":
                raise UciError(
                    f"option {self.name}: {shorten(word) or 'empty value'} is not true or false"
                )
        number = whole_number(word)
        if number is None:
            raise UciError(f"option {self.name}: {shorten(word) or 'empty value'} is not a number")
        if not self.low <= number <= self.high:
            raise UciError(
                f"option {self.name}: {shorten(word)} is out of range {self.low} to {self.high}"
            )
        return number


def _spin(name: str, doc: str, default: int, low: int, high: int) -> Option:
    return Option(name, "spin", doc, default, low, high)


def _check(name: str, doc: str, default: bool = False) -> Option:
    return Option(name, "check", doc, default)


def _string(name: str, doc: str) -> Option:
    return Option(name, "string", doc, "")


OPTIONS = (
    _spin("Hash", "Size of the transposition table in MiB.", 16, 1, 33554432),
    _spin("Threads", "Number of search threads; a change clears the histories.", 1, 1, 1024),
    _spin("MultiPV", "Number of best moves to search and show, each with its PV.", 1, 1, 256),
    _check("Ponder", "Whether the GUI may let the engine ponder; `go ponder` works either way."),
    Option("Clear Hash", "button", "Clear the transposition table and the histories."),
    _string("Hash File", "File for the transposition table: loaded when set, saved on `quit`."),
    Option("Save Hash", "button", "Save the transposition table to `Hash File` now."),
    _spin(
        "Move Overhead",
        "Time in ms reserved for each move for delays between engine and GUI.",
        20,
        0,
        5000,
    ),
    _spin("nodestime", "Nodes that count as one ms of the clock; 0 for real time.", 0, 0, 10000),
    _check("UCI_Chess960", "Chess960: read and write castling as king takes rook."),
    _check("UCI_ShowWDL", "Show win, draw and loss probabilities (permille) with each score."),
    _check("Minimal", "Write only the last line of each variation, before `bestmove`."),
    _check("UCI_LimitStrength", "Limit the playing strength to `UCI_Elo`."),
    _spin(
        "UCI_Elo", "Target Elo when `UCI_LimitStrength` is true.", ELO_DEFAULT, ELO_LOW, ELO_HIGH
    ),
    _spin(
        "Skill Level",
        "Playing strength from -7 (weakest) to 20 (full strength).",
        FULL_LEVEL,
        LOWEST_LEVEL,
        FULL_LEVEL,
    ),
    _spin(
        "Contempt",
        "Centipawns that a draw is worth less than an even game; not in analysis.",
        0,
        -MAX_CONTEMPT,
        MAX_CONTEMPT,
    ),
    _check("Contempt Auto", "Take a tenth of the known rating difference for Contempt."),
    _string("UCI_Opponent", "The opponent: title, rating, `computer` or `human`, name."),
    _spin("UCI_RatingAdv", "The engine's rating minus the opponent's.", 0, -10000, 10000),
    _check("UCI_AnalyseMode", "Analysis mode: ignore the opening book and strength limits."),
    Option(
        "UCI_EngineAbout", "string", "Name, version and licence of the engine.", ABOUT, fixed=True
    ),
    _string("EvalFile", "NNUE file to load; empty for the built-in network."),
    _check("OwnBook", "Play moves from `Book File` while the position is in the book."),
    _string("Book File", "Opening book in Polyglot format (.bin)."),
    _spin("Book Depth", "Number of the last move to play from the book.", 255, 1, 255),
    _spin(
        "Book Variety",
        "Choice of book moves: 0 the greatest weight only, 100 by weight.",
        100,
        0,
        100,
    ),
    _string("SyzygyPath", "Folders of Syzygy tablebases, separated by `:` (on Windows `;`)."),
    _spin("SyzygyProbeLimit", "Maximum number of pieces for tablebase probes.", 7, 0, 7),
    _spin(
        "SyzygyProbeDepth",
        "Minimum depth in plies to probe positions with as many pieces as the largest tables.",
        1,
        1,
        100,
    ),
    _check(
        "Syzygy50MoveRule", "Count tablebase wins that the 50-move rule prevents as draws.", True
    ),
    _string("Debug Log File", "File to which all input and output is appended."),
)


def tuning_options() -> tuple[Option, ...]:
    """Return an option for each search parameter; none unless ``PYTHAGORAS_TUNE=1``."""
    if os.environ.get("PYTHAGORAS_TUNE") != "1":  # before the slow import of the engine
        return ()
    import engine.search.pvs  # noqa: F401  (declares them)
    from engine.search.parameters import PARAMETERS

    return tuple(
        _spin(each.name, "A search parameter.", each.default, each.low, each.high)
        for each in PARAMETERS
    )


class Options:
    """The values of all options, by case-insensitive name; usable from any thread.

    A lock protects writes; a read is atomic and needs none.
    """

    def __init__(self, more: Sequence[Option] = ()) -> None:
        """Set all options to their defaults: `OPTIONS` and ``more``."""
        self.all = (*OPTIONS, *more)
        self._table = {option.name.lower(): option for option in self.all}
        self._values = {option.name: option.default for option in self.all}
        self._lock = threading.Lock()

    def parse(self, name: str, text: str | None) -> tuple[Option, OptionValue]:
        """Return the option ``name`` and the parsed value of ``text``; nothing is changed.

        Raises `UciError` for an unknown option or an invalid value.
        """
        option = self._table.get(name.lower())
        if option is None:
            raise UciError(f"unknown option: {shorten(name)}")
        return option, option.parse(text)

    def set(self, name: str, value: OptionValue) -> None:
        """Store a value that `parse` returned."""
        with self._lock:
            self._values[name] = value

    def holds(self, name: str, text: str) -> bool:
        """Return whether an option has the value of ``text``. Raises `UciError` as `parse` does."""
        option, value = self.parse(name, text)
        return self._values[option.name] == value

    def replace(self, name: str, failed: OptionValue, value: OptionValue) -> None:
        """Replace the value ``failed`` by ``value``, unless another was set meanwhile."""
        with self._lock:
            if self._values[name] == failed:
                self._values[name] = value

    def number(self, name: str) -> int:
        """Return the value of a spin."""
        value = self._values[name]
        assert isinstance(value, int)
        return value

    def text(self, name: str) -> str:
        """Return the value of a string."""
        value = self._values[name]
        assert isinstance(value, str)
        return value

    def flag(self, name: str) -> bool:
        """Return the value of a check."""
        return self._values[name] is True
