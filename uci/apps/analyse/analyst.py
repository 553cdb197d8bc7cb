"""An engine that looks at the positions of a game, chunk by chunk.

A chunk is searched backwards with an empty table, so its scores depend on nothing else: not on how
many engines share the work, nor on which games came before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from uci.apps.engines.client import OURS, EngineClient, Heard
from uci.apps.engines.task_worker import count, keep
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.session.settings import Shortfall

CHUNK = 10
"""Positions that are searched one after the other, with what was learned of those behind them."""

OPTIONS = {"UCI_AnalyseMode": "true", "UCI_Chess960": "true"}
"""UCI's options, in addition to those of the command."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a search saw: the best lines, best first. None has moves where the game is over.

    ``short`` tells where its engine had less than it was to have.
    """

    lines: tuple[ScoredLine, ...]
    short: tuple[Shortfall, ...] = ()

    @property
    def nodes(self) -> int:
        """The nodes of the search."""
        return max((line.nodes for line in self.lines), default=0)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Positions of a game: those after ``first`` to ``last`` of its moves, both included.

    ``start`` is a FEN, ``moves`` are UCI's, ``go`` the words of UCI's `go`.
    """

    start: str
    moves: tuple[str, ...]
    first: int
    last: int
    go: str


def chunks(start: str, moves: Sequence[str], go: str) -> Iterator[Chunk]:
    """Yield the chunks of a game, which has one position more than moves."""
    for first in range(0, len(moves) + 1, CHUNK):
        yield Chunk(start, tuple(moves), first, min(first + CHUNK - 1, len(moves)), go)


def look(options: Mapping[str, str], chunk: Chunk) -> list[Look]:
    """Return what our engine sees with UCI's ``options`` in each position, in the game's order.

    A task for a workforce. Raises as `EngineClient.ask` does.
    """
    looks = look_back(keep(EngineClient, OURS, {**OPTIONS, **options}), chunk)
    count(sum(each.nodes for each in looks))
    return looks


def look_back(engine: EngineClient, chunk: Chunk) -> list[Look]:
    """Return what an engine sees in each position of a chunk, in the order of the game."""
    looks = [
        Look(last_lines(engine.ask(lines, "bestmove")), engine.short) for lines in requests(chunk)
    ]
    return looks[::-1][: chunk.last - chunk.first + 1]


def requests(chunk: Chunk) -> Iterator[list[str]]:
    """Yield what an engine is told for each search, backwards.

    First comes the neighbour behind the chunk, if there is one, for what is learned there.
    """
    new_game = ["ucinewgame"]
    for ply in range(min(chunk.last + 1, len(chunk.moves)), chunk.first - 1, -1):
        moves = " ".join(chunk.moves[:ply])
        yield [*new_game, f"position fen {chunk.start} moves {moves}", f"go {chunk.go}"]
        new_game = []


def last_lines(heard: Sequence[Heard]) -> tuple[ScoredLine, ...]:
    """Return the last exact line of each variation, the best first.

    A lower bound where there is no exact line: of a search that was stopped at once. Only these
    lines are parsed: all of them would take a part of the search's time.
    """
    texts: dict[str, str] = {}
    for _, text in heard:
        if text.startswith("info depth") and "upperbound" not in text and " score " in text:
            number = text.partition(" multipv ")[2].split(" ", 1)[0]
            if "lowerbound" not in text or number not in texts:
                texts[number] = text
    lines = [line for text in texts.values() if (line := parse_info(text)) is not None]
    return tuple(sorted(lines, key=lambda line: line.multipv))
