"""Parses the analysis lines of any UCI engine: the inverse of `uci.protocol.messages`."""

from dataclasses import dataclass
from itertools import pairwise

from uci.protocol.commands import whole_number


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """An ``info`` line with a score. Missing numbers are 0.

    ``bound`` is "lower" or "upper", and empty for an exact score. One of ``cp`` and ``mate`` is
    ``None``. ``main_plies``, the number of PV moves from the main search (not quiescence search),
    is only known inside this engine.
    """

    depth: int
    cp: int | None
    mate: int | None
    bound: str
    pv: tuple[str, ...]
    multipv: int = 1
    seldepth: int = 0
    nodes: int = 0
    time: int = 0
    hashfull: int = 0
    tbhits: int = 0
    wdl: tuple[int, ...] | None = None
    main_plies: int | None = None

    def __str__(self) -> str:
        score = f"cp {self.cp}" if self.mate is None else f"mate {self.mate}"
        return f"{score} at depth {self.depth}, pv {' '.join(self.pv)}"


_NUMBERS = ("depth", "multipv", "seldepth", "nodes", "time", "hashfull", "tbhits")


def parse_info(text: str) -> ScoredLine | None:
    """Return the content of an ``info`` line with score and depth; ``None`` for any other line."""
    head, _, tail = f"{text} ".partition(" pv ")
    words = head.split()
    if words[:1] != ["info"] or "score" not in words or "string" in words:
        return None
    following = dict(pairwise(words))
    known = {name: whole_number(following[name]) for name in _NUMBERS if name in following}
    numbers = {name: number for name, number in known.items() if number is not None}
    at = words.index("score")
    score = whole_number(following.get(words[at + 1] if words[at + 1 :] else "", ""))
    if score is None or words[at + 1] not in ("cp", "mate") or "depth" not in numbers:
        return None
    chances = words[words.index("wdl") + 1 :][:3] if "wdl" in words else []
    wdl = tuple(number for word in chances if (number := whole_number(word)) is not None)
    is_mate = words[at + 1] == "mate"
    return ScoredLine(
        cp=None if is_mate else score,
        mate=score if is_mate else None,
        bound="lower" if "lowerbound" in words else "upper" if "upperbound" in words else "",
        pv=tuple(tail.split()),
        wdl=wdl or None,
        **numbers,
    )
