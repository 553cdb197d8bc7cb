"""Limited strength: a smaller search, and a random choice among its best lines.

A level from -7 to 20 sets everything; 20 is full strength.

- The search is limited in depth, ``level + 2`` plies, and in nodes, ``1000 · 2^(0.4 · level)``:
  so few that the strength does not depend on the machine. From level 17 on it is more nodes.
- It has several lines (MultiPV): 10 at level 0, 2 at level 18.
- Among these a move is drawn with odds ``exp(-loss / temperature)``. ``loss`` is the difference
  to the best score, and the temperature is ``87 · 2^(-level / 4)`` centipawns. A move that loses
  more than six temperatures is never played.

Below level 0 the depth stays at two plies and the temperature at 87 centipawns; each level adds
1.25 lines. There the engine also overlooks replies of the opponent, each with a probability of
0.025 per level below 0: a move that such a reply refutes seems to lose nothing. A capture or threat
is overlooked for all moves alike, as people overlook it.

Mate scores are more than six temperatures away from all others, so even the lowest level plays a
mate that it sees. With a queen or rook against a lone king, each level plays the best move of at
least `TECHNIQUE_LEVEL`, and mates. The move is delayed: see `pause`.

`ANCHORS` map Elo to levels. `scripts.measure.fit_elo` fitted those from 1350 on to matches with
Stockfish, `scripts.measure.fit_low_elo` those below to matches of neighbouring levels.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, Generic, NamedTuple, Self, TypeVar

from engine.search.limits import Budget, Limits
from engine.search.score import moves_to_mate

if TYPE_CHECKING:
    import chess

Move = TypeVar("Move")

ELO_LOW, ELO_HIGH = 500, 2900
"""The range of ``UCI_Elo``, up to the engine's full strength on Stockfish's scale."""

ELO_DEFAULT = 1350
"""The default of ``UCI_Elo``: a casual player."""

LOWEST_LEVEL, FULL_LEVEL = -7, 20
"""The range of levels, up to full strength."""

TECHNIQUE_LEVEL = 4
"""The lowest level with a queen or rook against a lone king: it looks six plies ahead."""

ANCHORS = (
    *((268.0, -7.0), (498.0, -4.0), (735.0, -2.0), (865.0, 0.0), (1108.0, 1.6)),
    *((1350.0, 3.2), (1884.0, 9.7), (2330.0, 17.2), (2730.0, 18.9), (2900.0, 20.0)),
)
"""Pairs of Elo and level, both ascending; values in between are interpolated."""

NODES, NODES_GROWTH = 1000, 0.4
WHOLE_NODES = 10_000
"""The node limit below level 0: enough for all lines to the maximum depth."""

DOUBLING_LEVEL = 17
"""From this level on, each level doubles the nodes once more."""

LINES, LINES_ABOVE, LINES_BELOW = 10, 0.45, 1.25
"""The lines at level 0, the fall for each level above it, and the rise for each below."""

OVERLOOKED = 0.025
"""The probability to overlook a reply, for each level below 0."""

TEMPERATURE, HALVING = 87.0, 4.0
MAX_LOSS = 6.0
"""The largest loss of a move that is played, in temperatures."""

LINEAR_SCORE = 1000
"""Scores up to this, in centipawns, count in full; beyond it a pawn hardly matters."""

COMPRESSION = 4
"""Beyond `LINEAR_SCORE`, this many centipawns count as one."""

MATE_WORTH = 8000
"""The value of a mate ten or more moves away; see `worth`."""


class Candidate(NamedTuple, Generic[Move]):
    """A move that may be played: its score for the side to move, and the opponent's best reply.

    The score is in centipawns or a mate score. ``reply`` is ``None`` if the line ends before it.
    """

    move: Move
    score: int
    reply: str | int | None = None


@dataclass(frozen=True, slots=True)
class Strength:
    """The settings of weak play at ``level``, from -7 to less than 20.

    With ``technique`` the best move is played.
    """

    level: float
    technique: bool = False

    @classmethod
    def from_options(cls, limit: bool, elo: int, skill: int) -> Self | None:
        """Return the strength that the options set, ``None`` for full strength.

        The options are ``UCI_LimitStrength``, ``UCI_Elo`` and ``Skill Level``, which is ignored if
        the strength is limited by Elo.
        """
        level = level_of(elo) if limit else float(skill)
        return cls(level) if level < FULL_LEVEL else None

    def in_position(self, board: "chess.Board") -> Self:
        """Return the strength for the side to move on ``board``: see `TECHNIQUE_LEVEL`."""
        theirs = board.occupied_co[not board.turn]
        lone_king = theirs & (theirs - 1) == 0
        if lone_king and (board.queens | board.rooks):
            return replace(self, level=max(self.level, TECHNIQUE_LEVEL), technique=True)
        return self

    @property
    def lines(self) -> int:
        """Return the number of lines (MultiPV) to search."""
        if self.technique:
            return 1
        return round(LINES - (LINES_ABOVE if self.level > 0 else LINES_BELOW) * self.level)

    @property
    def depth(self) -> int:
        """Return the maximum depth in plies."""
        return max(int(self.level), 0) + 2

    @property
    def nodes(self) -> int:
        """Return the maximum number of nodes."""
        if self.level < 0:
            return WHOLE_NODES
        doublings = NODES_GROWTH * self.level + max(self.level - DOUBLING_LEVEL, 0)
        return round(NODES * 2**doublings)

    @property
    def temperature(self) -> float:
        """Return the loss in centipawns that makes a move e times less likely."""
        return float(TEMPERATURE * 2 ** (-max(self.level, 0) / HALVING))

    @property
    def overlooked(self) -> float:
        """Return the probability that a reply of the opponent is overlooked."""
        return max(0.0, -OVERLOOKED * self.level)

    def bound(self, limits: Limits) -> Limits:
        """Return ``limits`` with the level's added; of two, the lower one counts."""
        depth = self.depth if limits.depth is None else min(limits.depth, self.depth)
        nodes = self.nodes if limits.nodes is None else min(limits.nodes, self.nodes)
        return replace(limits, depth=depth, nodes=nodes, alone=True)

    def choose(self, candidates: Sequence[Candidate[Move]], rng: random.Random) -> Move:
        """Return a random move of ``candidates``, which are of one depth and not empty."""
        if self.technique:
            return max(candidates, key=lambda candidate: candidate.score).move
        worths = [worth(candidate.score) for candidate in candidates]
        best = max(worths)
        if self.overlooked:
            overlooked = {
                reply: reply is not None and rng.random() < self.overlooked
                for reply in dict.fromkeys(candidate.reply for candidate in candidates)
            }
            unpunished = min(best, LINEAR_SCORE)  # a mate stays better
            worths = [
                max(value, unpunished) if overlooked[candidate.reply] else value
                for candidate, value in zip(candidates, worths, strict=True)
            ]
        odds = []
        for value in worths:
            loss = (best - value) / self.temperature
            odds.append(exp(-loss) if loss <= MAX_LOSS else 0.0)
        return rng.choices([candidate.move for candidate in candidates], odds)[0]

    def pause(self, budget: Budget, rng: random.Random) -> int:
        """Return after how many milliseconds from ``go`` to answer, as a person would.

        The search takes part of that; waiting for the rest costs no strength and no CPU time.
        Without a clock it is 0.
        """
        time = budget.hard if budget.soft is None else budget.soft
        return 0 if time is None else int(time * rng.uniform(0.3, 0.9))


def level_of(elo: float) -> float:
    """Return the level that plays at ``elo``, by `ANCHORS`; the end's level outside their range."""
    if elo <= ANCHORS[0][0]:
        return ANCHORS[0][1]
    for (low, first), (high, second) in pairwise(ANCHORS):
        if elo <= high:
            return first + (second - first) * (elo - low) / (high - low)
    return ANCHORS[-1][1]


def worth(score: int) -> float:
    """Return a score's value in centipawns for the choice of a move.

    Scores beyond `LINEAR_SCORE` are compressed; even a tablebase win is far below `MATE_WORTH`.
    Each move closer to mate adds 100.
    """
    mate = moves_to_mate(score)
    sign = 1 if score > 0 else -1
    if mate is not None:
        return sign * (MATE_WORTH + 100.0 * max(0, 10 - abs(mate)))
    size = abs(score)
    if size > LINEAR_SCORE:
        return sign * (LINEAR_SCORE + (size - LINEAR_SCORE) / COMPRESSION)
    return float(score)
