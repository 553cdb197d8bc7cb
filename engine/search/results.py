"""Results of a search: immutable values."""

from dataclasses import dataclass

from engine.search.triangular import Ending


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of one depth.

    ``score`` in centipawns or as a mate score, for the side to move; ``bound`` is "exact",
    "lower" or "upper"; ``time`` in milliseconds since the search began; ``hashfull`` in permille;
    ``pv`` 16-bit moves: complete for an exact score, the refuting move alone for a lower bound,
    empty for an upper one; ``multipv`` counts the lines of a depth from 1.
    ``ending`` is how an exact line ends, ``None`` for a bound. ``tbhits`` counts the successful
    tablebase probes.
    """

    depth: int
    seldepth: int
    score: int
    bound: str
    nodes: int
    time: int
    hashfull: int
    pv: tuple[int, ...]
    multipv: int = 1
    ending: Ending | None = None
    tbhits: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """The root move that is being searched, ``number`` from 1; only in long searches."""

    depth: int
    move: int
    number: int
