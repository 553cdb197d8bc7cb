"""The engine's messages as text: lines of analysis and the move."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.search.score import moves_to_mate

BOOK_MOVE = "book move"
"""The message of a search whose move is from the opening book."""


@dataclass(frozen=True, slots=True)
class Info:
    """One line of analysis: times in milliseconds, hashfull in permille, pv in UCI notation.

    ``score`` is in centipawns or a mate score, from the side to move; ``bound`` is "exact", "lower"
    or "upper"; ``wdl`` is win, draw and loss in permille.
    """

    depth: int
    seldepth: int
    score: int
    nodes: int
    time: int
    pv: tuple[str, ...]
    bound: str = "exact"
    multipv: int = 1
    hashfull: int = 0
    tbhits: int = 0
    wdl: tuple[int, int, int] | None = None


def format_score(score: int, bound: str) -> str:
    """Return ``cp 20`` or ``mate -3``, with ``lowerbound`` or ``upperbound`` for a bound."""
    mate = moves_to_mate(score)
    text = f"cp {score}" if mate is None else f"mate {mate}"
    return text if bound == "exact" else f"{text} {bound}bound"


def format_info(info: Info) -> str:
    """Return the ``info`` line, ``pv`` last."""
    nps = info.nodes * 1000 // max(1, info.time)
    wdl = "" if info.wdl is None else " wdl {} {} {}".format(*info.wdl)
    line = (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv}"
        f" score {format_score(info.score, info.bound)}{wdl} nodes {info.nodes} nps {nps}"
        f" hashfull {info.hashfull} tbhits {info.tbhits} time {info.time}"
    )
    return f"{line} pv {' '.join(info.pv)}" if info.pv else line


def format_progress(depth: int, move: str, number: int) -> str:
    """Return the ``currmove`` line for the root move ``number``, from 1."""
    return f"info depth {depth} currmove {move} currmovenumber {number}"


def format_message(text: str) -> str:
    """Return ``text`` as one ``info string`` line."""
    return f"info string {' '.join(text.split())}"


def format_bestmove(pv: Sequence[str]) -> str:
    """Return the ``bestmove`` line for a PV, ``(none)`` for an empty one.

    The second move, if any, is the ponder move.
    """
    ponder = f" ponder {pv[1]}" if len(pv) > 1 else ""
    return f"bestmove {pv[0] if pv else '(none)'}{ponder}"
