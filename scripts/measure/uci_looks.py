"""Analysis of a game's positions by any UCI engine, in the form of `uci.apps.analyse.analyst`."""

from collections.abc import Mapping, Sequence

from scripts.measure.uci_client import UciClient
from uci.apps.analyse.analyst import Look
from uci.apps.engines.pv_checks import last_exact
from uci.protocol.scored_line import parse_info


def start_engine(command: Sequence[str], options: Mapping[str, str]) -> UciClient:
    """Start an engine that is ready to search.

    Raises `OSError` or `scripts.measure.uci_client.EngineTerminated`.
    """
    engine = UciClient(command)
    engine.say("uci", *(f"setoption name {name} value {options[name]}" for name in options))
    engine.say("isready").until("readyok")
    return engine


def search_back(
    engine: UciClient, start: str, moves: Sequence[str], first: int, last: int, go: str
) -> list[list[str]]:
    """Return what is said after ``last`` of the moves of a game, then of one less, to ``first``.

    The engine begins with a ``ucinewgame``; ``go`` are the words of UCI's `go`. Nothing is read of
    the lines, which would take time between searches. Raises
    `scripts.measure.uci_client.EngineTerminated`.
    """
    engine.say("ucinewgame")
    said = []
    for ply in range(last, first - 1, -1):
        engine.say(f"position fen {start} moves {' '.join(moves[:ply])}", f"go {go}")
        said.append(engine.until("bestmove"))
    return said


def look_of(said: Sequence[str]) -> Look:
    """Return what was seen, from the lines that an engine wrote of a search."""
    lines = [line for text in said if (line := parse_info(text)) is not None]
    return Look(tuple(last_exact(lines)))
