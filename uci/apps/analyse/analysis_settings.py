"""The settings of `pythagoras analyse`: limit, games, sides, thresholds."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import chess

from uci import __version__
from uci.apps.analyse.lichess import THRESHOLDS
from uci.apps.analyse.report.page import MOST_GAMES, UNITS
from uci.apps.engines.compatibility import engine_facts, fingerprint
from uci.apps.games.analysis_document import AnalysisHead, EngineName, Scale, Thresholds
from uci.errors import UciError, shorten
from uci.session.settings import Shortfall

NODES = 2_000_000
"""Default limit per position: nodes, so that results are the same on every machine."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of games: ranges that include both ends; an end of None is open."""

    ranges: tuple[tuple[int, int | None], ...] = ((1, None),)

    def __contains__(self, number: int) -> bool:
        return any(first <= number <= (last or number) for first, last in self.ranges)

    def __str__(self) -> str:
        return ",".join(f"{first}-{'' if last is None else last}" for first, last in self.ranges)

    def ended_by(self, number: int) -> bool:
        """Return whether the ranges contain neither ``number`` nor any higher number."""
        return all(last is not None and last < number for _, last in self.ranges)


def parse_numbers(text: str) -> Numbers:
    """Return the ranges of a text such as ``3-10``, ``3-``, ``-10``, ``7``, or several with commas.

    Raises `UciError`.
    """
    ranges = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        first, last, only = found.groups() if found else (None, None, None)
        low, high = int(only or first or 1), int(only or last or 0) or None
        if not (first or last or only) or (high is not None and high < low):
            raise UciError(
                f"--games {shorten(text)}: {shorten(part) or 'empty'} is not a range like 3-10"
            )
        ranges.append((low, high))
    return Numbers(tuple(ranges))


_RANGE = re.compile(r"([1-9]\d{0,8})?-([1-9]\d{0,8})?|([1-9]\d{0,8})", re.ASCII)


def parse_thresholds(text: str) -> tuple[float, ...]:
    """Return the win percentage points that ?!, ? and ?? lose at least. Raises `UciError`."""
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = ()
    if len(found) != len(THRESHOLDS) or not 0 < found[0] <= found[1] <= found[2] <= 100:
        raise UciError(
            f"--thresholds {shorten(text)}: expected three ascending numbers such as 5,10,15"
        )
    return found


def digest_of(evaluate: str) -> str:
    """Return the digest of a user's evaluation, ``FILE:FUNCTION``; empty for none.

    Raises `UciError` if it cannot be used.
    """
    from uci.session.own_evaluation import own_evaluation

    return own_evaluation(evaluate).digest if evaluate else ""


def threat_limit_of(limit: tuple[str, int]) -> tuple[str, int]:
    """Return the limit of the search for a threat: a tenth of the ``limit``, or four plies less."""
    name, number = limit
    return name, max(1, number - 4 if name == "depth" else number // 10)


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """How games are analysed. ``limit`` is a parameter of UCI's `go` and its number.

    ``side`` is white, black, part of a player's name, or empty for both sides; ``tables`` names
    folders as UCI's `SyzygyPath`; ``threat_limit`` is that of the search for a threat, None for no
    threats; ``hash`` (MiB) and ``threads`` are those of each of the ``jobs``
    processes; the HTML report shows ``html_games``, with 0 there is none. ``evaluate`` names a
    user's evaluation as ``FILE:FUNCTION``, and ``evaluation`` is its digest.
    """

    limit: tuple[str, int] = ("nodes", NODES)
    multipv: int = 2
    hash: int = 16
    threads: int = 1
    jobs: int = 1
    side: str = ""
    games: Numbers = Numbers()
    thresholds: tuple[float, ...] = THRESHOLDS
    tables: str = ""
    html_games: int = MOST_GAMES
    evaluate: str = ""
    evaluation: str = ""
    threat_limit: tuple[str, int] | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the engine's command."""
        return ("--evaluate", self.evaluate) if self.evaluate else ()

    @property
    def engine(self) -> str:
        """The engine's name, without its version."""
        label = self.evaluate.replace("\\", "/").rpartition("/")[2]
        return f"Pythagoras ({label})" if self.evaluate else "Pythagoras"

    @property
    def go(self) -> str:
        """The parameters of UCI's `go`."""
        return "{} {}".format(*self.limit)

    @property
    def go_threat(self) -> str:
        """The parameters of `go` of the search for a threat; empty for no threats."""
        return "{} {}".format(*self.threat_limit) if self.threat_limit else ""

    @property
    def options(self) -> dict[str, str]:
        """The engine's options."""
        found = {"MultiPV": self.multipv, "Hash": self.hash, "Threads": self.threads}
        tables = {"SyzygyPath": self.tables} if self.tables else {}
        return {name: str(value) for name, value in found.items()} | tables

    @property
    def key(self) -> str:
        """The settings and the engine, on which the analysis of a position depends."""
        facts = [self.go, self.options, fingerprint()]
        return json.dumps([*facts, *filter(None, (self.evaluation, self.go_threat))])

    @property
    def words(self) -> str:
        """Engine, limit and rules, for display."""
        name, number = self.limit
        rules = "" if self.thresholds == THRESHOLDS else f" at {self._shown_thresholds} points"
        limit = f"{number:,} {UNITS[name]} a position"
        return f"{self.engine} {__version__}, {limit}, lichess's rules{rules}"

    @property
    def engine_name(self) -> EngineName:
        """The engine, with the digests of its network or evaluation and of its sources."""
        facts = engine_facts() | {"name": self.engine}
        if self.evaluation:
            facts["network"] = self.evaluation
        return EngineName(**facts)

    def head(self, source: str) -> AnalysisHead:
        """Return engine, limit and rules for the document of the ``source``."""
        low, middle, high = self.thresholds
        return AnalysisHead(
            source=source,
            engine=self.engine_name,
            limit=dict([self.limit]),
            multipv=self.multipv,
            tables=bool(self.tables),
            scale=Scale(
                name="lichess",
                centipawns="Stockfish's, converted",
                unit="points of win percentage",
                thresholds=Thresholds(inaccuracy=low, mistake=middle, blunder=high),
            ),
            side=self.side or None,
            numbers=None if self.games == Numbers() else str(self.games),
            threat_limit=dict([self.threat_limit]) if self.threat_limit else None,
        )

    def resources(self, short: Mapping[str, Shortfall]) -> dict[str, int]:
        """Return each process's hash and threads for the document, lower if some fell ``short``."""
        had = {name: each.given for name, each in short.items()}
        return {
            "hash": had.get("Hash", self.hash),
            "threads": had.get("Threads", self.threads),
        }

    def sides_of(self, headers: Mapping[str, str]) -> Sequence[chess.Color]:
        """Return the sides of a game to be judged."""
        wanted = self.side.casefold()
        if not wanted:
            return chess.COLORS
        if wanted in chess.COLOR_NAMES:
            return (wanted == "white",)
        players = {chess.WHITE: headers.get("White", ""), chess.BLACK: headers.get("Black", "")}
        return [color for color, name in players.items() if wanted in name.casefold()]

    @property
    def _shown_thresholds(self) -> str:
        return ", ".join(f"{threshold:g}" for threshold in self.thresholds)
