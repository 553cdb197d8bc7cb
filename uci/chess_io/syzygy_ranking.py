"""Ranks the moves of a position by the tablebases.

The search is limited to the moves that keep the value, plus others if more lines are wanted. It may
still find a mate, which replaces the tables' result; `Ranking.report` corrects any other score.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

import chess

from engine.search.score import MATE_IN_MAX, TB_WIN

FREE_PLIES = 16
"""Plies after a capture or pawn move during which every surely winning move is kept. After that,
only moves that lower DTZ are kept, because a search without a mate may make no progress."""

HALFMOVE_LIMIT = 100
"""Plies without a capture or pawn move after which a game is drawn."""


class WdlValue(enum.IntEnum):
    """The value of a position or a move for the side that moves.

    The fifty-move rule makes a cursed win and a blessed loss draws.
    """

    LOSS = -2
    BLESSED_LOSS = -1
    DRAW = 0
    CURSED_WIN = 1
    WIN = 2


_SCORE_OF = {
    WdlValue.LOSS: -TB_WIN,
    WdlValue.BLESSED_LOSS: 0,
    WdlValue.DRAW: 0,
    WdlValue.CURSED_WIN: 0,
    WdlValue.WIN: TB_WIN,
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """The tables' ranking of the moves of a position; ``probes`` is the number of tbhits.

    ``moves`` surely keep its ``value``; the ``others``, with their values, may not. Both are
    sorted, best first.
    """

    value: WdlValue
    moves: tuple[chess.Move, ...]
    probes: int
    others: Mapping[chess.Move, WdlValue] = field(default_factory=dict)

    @property
    def score(self) -> int:
        """Return the score in centipawns to report if the search finds no mate."""
        return _SCORE_OF[self.value]

    def best(self, number: int) -> tuple[chess.Move, ...]:
        """Return all moves that keep the value; add others if these are fewer than ``number``."""
        missing = max(0, number - len(self.moves))
        return self.moves + tuple(self.others)[:missing]

    def report(self, move: chess.Move, score: int) -> int:
        """Return the score to report when the search has found ``score`` for ``move``.

        Mate scores are kept. Otherwise a move that may not keep a win or loss scores less than
        those that do. A win that the fifty-move rule prevents scores 0, as the draw that it is.
        """
        value = self.others.get(move, self.value)
        won = value == WdlValue.WIN and score >= MATE_IN_MAX
        lost = value == WdlValue.LOSS and score <= -MATE_IN_MAX
        if won or lost:
            return score
        table_score = _SCORE_OF[value]
        unsure = move in self.others and value == self.value
        return table_score - (table_score != 0 and unsure)


@dataclass(frozen=True, slots=True)
class RankedMove:
    """A move with its value and its ``plies`` to mate or to the next capture or pawn move."""

    move: chess.Move
    value: WdlValue
    plies: int
    repeats: bool


def rank_moves(board: chess.Board, candidates: list[RankedMove], probes: int) -> Ranking | None:
    """Return the ranking of the candidates, ``None`` without any; ``probes`` as in `Ranking`."""
    if not candidates:
        return None
    value = max(candidate.value for candidate in candidates)
    kept = [candidate for candidate in candidates if candidate.value == value]
    if value > 0:
        kept.sort(key=lambda candidate: (candidate.plies, candidate.repeats))
        kept = _winning(board, kept)
    elif value < 0:
        longest = max(candidate.plies for candidate in kept)
        kept = [candidate for candidate in kept if candidate.plies == longest]
    others = [candidate for candidate in candidates if candidate not in kept]
    others.sort(key=lambda c: (-c.value, c.plies if c.value > 0 else -c.plies))
    return Ranking(
        value,
        tuple(candidate.move for candidate in kept),
        probes,
        {candidate.move: candidate.value for candidate in others},
    )


def _winning(board: chess.Board, kept: list[RankedMove]) -> list[RankedMove]:
    """Return the winning moves that may be played; ``kept`` are all, the quickest first.

    DTZ is rounded and may be a ply too short, so with a sum of 100 a win is not sure. After a
    repetition, or after `FREE_PLIES` plies, each move must lower DTZ, so that no position occurs a
    third time.
    """
    best = kept[0]
    # Count only plies of this game: a position set up with a high clock has free plies too.
    free = min(board.halfmove_clock, len(board.move_stack)) < FREE_PLIES
    if best.value == WdlValue.WIN and best.plies and free and not _has_repeated(board):
        sure = [
            c for c in kept if not c.repeats and c.plies + board.halfmove_clock < HALFMOVE_LIMIT
        ]
        if sure:
            return sure
    quickest = [c for c in kept if c.plies == best.plies]
    return [c for c in quickest if c.repeats == best.repeats]


def _has_repeated(board: chess.Board) -> bool:
    """Return whether a position has occurred twice since the last capture or pawn move."""
    past = board.copy()
    seen = {past.epd()}
    while past.move_stack and past.halfmove_clock:
        past.pop()
        position = past.epd()
        if position in seen:
            return True
        seen.add(position)
    return False
