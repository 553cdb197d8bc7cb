"""An engine that analyses the positions of a game in chunks.

A chunk is searched backwards, starting with an empty table, so its scores depend neither on the
number of engines nor on earlier games. Threats are searched at its end, so they do not change them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import chess

from uci.apps.engines.client import OURS, EngineClient, Heard
from uci.apps.engines.task_worker import count, keep
from uci.apps.games.passing import after_pass
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.session.settings import Shortfall

CHUNK = 10
"""Positions per chunk: each search profits from the hash table of the later positions."""

OPTIONS = {"UCI_AnalyseMode": "true", "UCI_Chess960": "true", "Minimal": "true"}
"""Fixed UCI options, in addition to those of the command.

`Minimal`, since each line that an engine writes interrupts another one's search on a busy machine.
"""


@dataclass(frozen=True, slots=True)
class PositionAnalysis:
    """The analysis of one position: the best lines, best first; no moves if the game is over.

    ``short`` are the options of which the engine's system provided less. ``threat`` is the
    opponent's best line after a pass, if it was searched.
    """

    lines: tuple[ScoredLine, ...]
    short: tuple[Shortfall, ...] = ()
    threat: ScoredLine | None = None

    @property
    def nodes(self) -> int:
        """The number of searched nodes, including those of the search for a threat."""
        searched = max((line.nodes for line in self.lines), default=0)
        return searched + (self.threat.nodes if self.threat else 0)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Positions of a game: those after moves ``first`` to ``last``, both included.

    ``start`` is a FEN, ``moves`` are in UCI notation, ``go`` are parameters of UCI's `go`, and
    ``go_threat`` those of the search for a threat; empty for none.
    """

    start: str
    moves: tuple[str, ...]
    first: int
    last: int
    go: str
    go_threat: str = ""


def chunks(start: str, moves: Sequence[str], go: str, go_threat: str = "") -> Iterator[Chunk]:
    """Yield the chunks of a game, which has one more position than moves."""
    for first in range(0, len(moves) + 1, CHUNK):
        last = min(first + CHUNK - 1, len(moves))
        yield Chunk(start, tuple(moves), first, last, go, go_threat)


def analyse_chunk(
    options: Mapping[str, str], chunk: Chunk, arguments: tuple[str, ...] = ()
) -> list[PositionAnalysis]:
    """Return the analysis of each position by our engine with UCI ``options``, in the game's order.

    ``arguments`` are those of its command.

    A task for an executor. Raises as `EngineClient.ask` does.
    """
    engine = keep(EngineClient, OURS, {**OPTIONS, **options}, arguments)
    analyses = analyse_backwards(engine, chunk)
    if chunk.go_threat:
        analyses = search_threats(engine, chunk, analyses, options["MultiPV"])
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


def search_threats(
    engine: EngineClient, chunk: Chunk, analyses: Sequence[PositionAnalysis], multipv: str
) -> list[PositionAnalysis]:
    """Return the ``analyses`` of a chunk with the threats in its positions.

    ``multipv`` is the engine's setting, which is 1 meanwhile.
    """
    found = list(analyses)
    for at, lines in threat_requests(chunk):
        for threat in last_lines(engine.ask(lines, "bestmove")):
            found[at] = replace(found[at], threat=threat)
    engine.ask([f"setoption name MultiPV value {multipv}", "isready"], "readyok")
    return found


def threat_requests(chunk: Chunk) -> Iterator[tuple[int, list[str]]]:
    """Yield the index of each position of a chunk in which a move was made and the side to move
    could pass, from the last one backwards, and the UCI commands of the search after the pass."""
    board = chess.Board(chunk.start, chess960=True)
    passed = []
    for ply, move in enumerate(chunk.moves[: chunk.last + 1]):
        if ply >= chunk.first:
            with suppress(UciError):
                passed.append((ply - chunk.first, after_pass(board).fen()))
        board.push_uci(move)
    for at, fen in reversed(passed):
        position = f"position fen {fen}"
        yield at, ["setoption name MultiPV value 1", position, f"go {chunk.go_threat}"]


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
