"""The options: one table that declares and parses them."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from uci import __version__
from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number
from uci.strength.limited_strength import ELO_HIGH, ELO_LOW, FULL_LEVEL

OptionValue = int | bool | str | None

T = TypeVar("T")

EMPTY_STRING = "<empty>"
"""The protocol's word for an empty string."""

ABOUT = (
    f"Pythagoras {__version__}, a chess engine in Python, compiled by numba;"
    " free software under the GNU General Public License, version 3 or later"
)


def try_path(path: str, use: Callable[[str], T]) -> T:
    """Return what ``use`` makes of a path as it stands, else without surrounding spaces and quotes.

    A path of spaces and quotes only is empty. Raises what ``use`` raises for the last one tried.
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

    ``low`` and ``high`` bound a spin; a ``fixed`` string is read-only; ``doc`` is for the manual.
    """

    name: str
    kind: str
    doc: str
    default: OptionValue = None
    low: int = 0
    high: int = 0
    fixed: bool = False

    def declare(self) -> str:
        """Return the line that answers ``uci``."""
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
        """Return the value of ``text``; strings are kept exactly.

        Raises `UciError` for a value of the wrong kind, or out of range.
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
                raise UciError(f"{self.name} is true or false, not {shorten(word) or 'empty'}")
        number = whole_number(word)
        if number is None:
            raise UciError(f"{self.name} is a number, not {shorten(word) or 'empty'}")
        if not self.low <= number <= self.high:
            raise UciError(f"{self.name} goes from {self.low} to {self.high}, not {shorten(word)}")
        return number


OPTIONS = (
    Option("Hash", "spin", "Size of the transposition table in MiB.", 16, 1, 33554432),
    Option(
        "Threads",
        "spin",
        "How many threads search; a change forgets what was learned.",
        1,
        1,
        1024,
    ),
    Option("MultiPV", "spin", "Lines to analyse, those of the best moves.", 1, 1, 256),
    Option(
        "Ponder",
        "check",
        "Whether the client lets the engine think in the opponent's time; it may at any time.",
        False,
    ),
    Option("Clear Hash", "button", "Forget the transposition table and the histories."),
    Option(
        "Move Overhead",
        "spin",
        "Milliseconds that a move loses between engine and clock, kept in reserve.",
        20,
        0,
        5000,
    ),
    Option("UCI_Chess960", "check", "Read and write castling as king takes rook.", False),
    Option("UCI_ShowWDL", "check", "Add the chances of win, draw and loss to each score.", False),
    Option("UCI_LimitStrength", "check", "Play as strongly as `UCI_Elo` says.", False),
    Option("UCI_Elo", "spin", "How strongly that is.", ELO_LOW, ELO_LOW, ELO_HIGH),
    Option(
        "Skill Level",
        "spin",
        "Strength without a number, 20 is all there is.",
        FULL_LEVEL,
        0,
        FULL_LEVEL,
    ),
    Option("UCI_AnalyseMode", "check", "Analysis: no book, and no limit of strength.", False),
    Option("UCI_EngineAbout", "string", "Who this is.", ABOUT, fixed=True),
    Option("EvalFile", "string", "A network to play with in place of the engine's own.", ""),
    Option("OwnBook", "check", "Play the moves of the book as long as it knows any.", False),
    Option("Book File", "string", "The opening book, in Polyglot's format.", ""),
    Option("SyzygyPath", "string", "Folders of Syzygy tablebases, separated as in PATH.", ""),
    Option("SyzygyProbeLimit", "spin", "Maximum number of pieces for tablebase probes.", 7, 0, 7),
    Option(
        "SyzygyProbeDepth",
        "spin",
        "Minimum depth for probes of positions with as many pieces as the largest tables.",
        1,
        1,
        100,
    ),
    Option("Syzygy50MoveRule", "check", "Whether fifty moves without progress draw.", True),
    Option("Debug Log File", "string", "A file that every line in and out is added to.", ""),
)


def tuning_options() -> tuple[Option, ...]:
    """Return an option for each parameter of the search; none unless ``PYTHAGORAS_TUNE=1``."""
    if os.environ.get("PYTHAGORAS_TUNE") != "1":  # before the slow import of the engine
        return ()
    import engine.search.pvs  # noqa: F401  (declares them)
    from engine.search.parameters import PARAMETERS

    return tuple(
        Option(each.name, "spin", "A parameter.", each.default, each.low, each.high)
        for each in PARAMETERS
    )


class Options:
    """The values of all options, by case-insensitive name; for any thread.

    A lock protects writes; a read is atomic and needs none.
    """

    def __init__(self, more: Sequence[Option] = ()) -> None:
        """Set all options to their defaults: `OPTIONS` and ``more``."""
        self.all = (*OPTIONS, *more)
        self._table = {option.name.lower(): option for option in self.all}
        self._values = {option.name: option.default for option in self.all}
        self._lock = threading.Lock()

    def parse(self, name: str, text: str | None) -> tuple[Option, OptionValue]:
        """Return the option called ``name`` and the value of ``text``, changing nothing.

        Raises `UciError` for an unknown option or a wrong value.
        """
        option = self._table.get(name.lower())
        if option is None:
            raise UciError(f"no such option: {shorten(name)}")
        return option, option.parse(text)

    def set(self, name: str, value: OptionValue) -> None:
        """Store a value that `parse` returned."""
        with self._lock:
            self._values[name] = value

    def holds(self, name: str, text: str) -> bool:
        """Return whether an option has the value of ``text``. Raises `UciError` as `parse`."""
        option, value = self.parse(name, text)
        return self._values[option.name] == value

    def replace(self, name: str, failed: OptionValue, value: OptionValue) -> None:
        """Store ``value`` in place of one that ``failed``, unless another was set meanwhile."""
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
