"""An engine that analyses the positions of a game in chunks.

A chunk is searched backwards, starting with an empty table, so its scores depend neither on the
number of engines nor on earlier games.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from uci.apps.engines.client import OURS, EngineClient, Heard
from uci.apps.engines.task_worker import count, keep
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.session.settings import Shortfall

CHUNK = 10
"""Positions per chunk: each search profits from the hash table of the later positions."""

OPTIONS = {"UCI_AnalyseMode": "true", "UCI_Chess960": "true"}
"""Fixed UCI options, in addition to those of the command."""


@dataclass(frozen=True, slots=True)
class PositionAnalysis:
    """The analysis of one position: the best lines, best first; no moves if the game is over.

    ``short`` are the options of which the engine's system provided less.
    """

    lines: tuple[ScoredLine, ...]
    short: tuple[Shortfall, ...] = ()

    @property
    def nodes(self) -> int:
        """The nodes of the search."""
        return max((line.nodes for line in self.lines), default=0)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Positions of a game: those after moves ``first`` to ``last``, both included.

    ``start`` is a FEN, ``moves`` are in UCI notation, ``go`` are parameters of UCI's `go`.
    """

    start: str
    moves: tuple[str, ...]
    first: int
    last: int
    go: str


def chunks(start: str, moves: Sequence[str], go: str) -> Iterator[Chunk]:
    """Yield the chunks of a game, which has one more position than moves."""
    for first in range(0, len(moves) + 1, CHUNK):
        yield Chunk(start, tuple(moves), first, min(first + CHUNK - 1, len(moves)), go)


def analyse_chunk(
    options: Mapping[str, str], chunk: Chunk, arguments: tuple[str, ...] = ()
) -> list[PositionAnalysis]:
    """Return the analysis of each position by our engine with UCI ``options``, in the game's order.

    ``arguments`` are those of its command.

    A task for an executor. Raises as `EngineClient.ask` does.
    """
    analyses = analyse_backwards(keep(EngineClient, OURS, {**OPTIONS, **options}, arguments), chunk)
    count(sum(each.nodes for each in analyses))
    return analyses


def analyse_backwards(engine: EngineClient, chunk: Chunk) -> list[PositionAnalysis]:
    """Return an engine's analysis of each position of a chunk, in the order of the game."""
    analyses = [
        PositionAnalysis(last_lines(engine.ask(lines, "bestmove")), engine.short)
        for lines in requests(chunk)
    ]
    return analyses[::-1][: chunk.last - chunk.first + 1]


def requests(chunk: Chunk) -> Iterator[list[str]]:
    """Yield the UCI commands of each search, from the last position backwards.

    The first search is of the position after the chunk, if there is one, to fill the hash table.
    """
    new_game = ["ucinewgame"]
    for ply in range(min(chunk.last + 1, len(chunk.moves)), chunk.first - 1, -1):
        moves = " ".join(chunk.moves[:ply])
        yield [*new_game, f"position fen {chunk.start} moves {moves}", f"go {chunk.go}"]
        new_game = []


def last_lines(heard: Sequence[Heard]) -> tuple[ScoredLine, ...]:
    """Return the last exact line of each variation, best first.

    If a search was stopped before its first exact line, a lower bound is returned. Only these lines
    are parsed: parsing all would slow down the search.
    """
    texts: dict[str, str] = {}
    for _, text in heard:
        if text.startswith("info depth") and "upperbound" not in text and " score " in text:
            number = text.partition(" multipv ")[2].split(" ", 1)[0]
            if "lowerbound" not in text or number not in texts:
                texts[number] = text
    lines = [line for text in texts.values() if (line := parse_info(text)) is not None]
    return tuple(sorted(lines, key=lambda line: line.multipv))
