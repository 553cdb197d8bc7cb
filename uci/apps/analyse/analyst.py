"""The engine as it looks at the positions of a game: in some process, chunk by chunk.

A chunk is searched backwards with an empty table, so its scores depend on nothing else: not on how
many processes share the work, nor on which games came before.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from uci.apps.engines.worker_engine import TaskStopped, count, keep
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.session import Session
from uci.session.settings import Shortfall, shortfalls

CHUNK = 10
"""Positions that are searched one after the other, with what was learned of those behind them."""


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


class Analyst:
    """An engine that looks at chunks, one after the other."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Load it. Raises `UciError` where that fails."""
        self._answers = _Answers()
        self._halted = False
        loader = Loader()
        loader.start()
        loader.done.wait()
        if loader.error is not None:
            raise UciError(f"the engine cannot be loaded: {loader.error}")
        self._session = Session(Writer(self._answers), loader, patient=True)
        for name, value in {"UCI_AnalyseMode": "true", "UCI_Chess960": "true", **options}.items():
            self._say(f"setoption name {name} value {value}")
        self._short = shortfalls(self._session.options, options)

    def look(self, chunk: Chunk) -> list[Look]:
        """Return what is seen in each position of a chunk, in the order of the game.

        Raises `TaskStopped`.
        """
        self._say("ucinewgame")
        plies = list(range(chunk.last, chunk.first - 1, -1))
        if chunk.last < len(chunk.moves):
            plies.insert(0, chunk.last + 1)  # the neighbour, for what is learned there
        looks = {ply: self._search(chunk, ply) for ply in plies}
        return [looks[ply] for ply in range(chunk.first, chunk.last + 1)]

    def stop(self) -> None:
        """End the search that runs and all later ones, from any thread."""
        self._halted = True
        self._session.interrupt()

    def close(self) -> None:
        """Stop, and let go of the tablebases."""
        self.stop()
        self._session.resources.open("SyzygyPath", "")

    def _search(self, chunk: Chunk, ply: int) -> Look:
        if self._halted:
            raise TaskStopped
        moves = " ".join(chunk.moves[:ply])
        self._answers.begin()
        self._say(f"position fen {chunk.start} moves {moves}")
        self._say(f"go {chunk.go}")
        return Look(self._answers.wait(), self._short)

    def _say(self, line: str) -> None:
        self._session.handle(f"{line}\n".encode())


def look(options: Mapping[str, str], chunk: Chunk) -> list[Look]:
    """Return what the engine of this process sees with UCI's ``options``: a task for a workforce.

    Raises `TaskStopped`, and `UciError` where the engine cannot be loaded.
    """
    looks = keep(Analyst, options).look(chunk)
    count(sum(each.nodes for each in looks))
    return looks


class _Answers:
    """A stream for the session's output: keeps the last exact line of each number, as text.

    A lower bound is kept where there is no exact one: of a search that was stopped at once. Reading
    all lines would take a part of the search's time.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, bytes] = {}
        self._done = threading.Event()

    def begin(self) -> None:
        """Expect the answers of another search."""
        self._texts.clear()
        self._done.clear()

    def wait(self) -> tuple[ScoredLine, ...]:
        """Return the last lines once the move has come."""
        self._done.wait()
        parsed = [parse_info(text.decode()) for text in self._texts.values()]
        lines = [line for line in parsed if line is not None]
        return tuple(sorted(lines, key=lambda line: line.multipv))

    def write(self, data: bytes) -> int:
        """Take lines from the session's threads."""
        for line in data.splitlines():
            if line.startswith(b"info depth") and b"upperbound" not in line and b" score " in line:
                number = line.partition(b" multipv ")[2].split(b" ", 1)[0]
                if b"lowerbound" not in line or number not in self._texts:
                    self._texts[number] = line
            elif line.startswith(b"bestmove"):
                self._done.set()
        return len(data)

    def flush(self) -> None:
        """Do nothing."""
