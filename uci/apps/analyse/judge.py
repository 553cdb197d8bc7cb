"""Judges the moves of a game by the analysis of its positions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import chess
from chess.engine import Cp, Mate, MateGiven, PovScore

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.lichess import (
    SCALE,
    THRESHOLDS,
    Accuracies,
    Verdict,
    centipawn_loss,
    classify,
    game_accuracy,
    win_percent,
)
from uci.apps.games.stockfish_scale import KNOTS, Knots, on_stockfish_scale
from uci.protocol.scored_line import ScoredLine

DECIDED = 700
"""A move is not judged if a side is ahead by this many centipawns both before and after it."""

MATE = 100_000
"""The same limit if one of the scores is a mate."""

ONLY_MOVE = 10.0
"""Minimum lead of an only move over all others, in win percentage points."""


@dataclass(frozen=True, slots=True)
class Line:
    """A PV and its score from White's view."""

    score: PovScore
    moves: tuple[chess.Move, ...]


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A judged move of a game; ``ply`` counts from 1, ``best`` is the engine's choice.

    ``before`` and ``after`` are the scores of the positions before and after it.
    """

    ply: int
    mover: chess.Color
    move: chess.Move
    before: PovScore
    after: PovScore
    best: Line
    verdict: Verdict
    only: bool

    @property
    def is_best(self) -> bool:
        """Whether the move is the engine's choice."""
        return self.best.moves[:1] == (self.move,)

    @property
    def points_lost(self) -> float:
        """Win percentage points lost, from the mover's view; negative for a gain."""
        before, after = (score.pov(self.mover) for score in (self.before, self.after))
        return win_percent(before) - win_percent(after)


@dataclass(frozen=True, slots=True)
class Summary:
    """One side's game: number of each verdict, accuracy in percent, loss in centipawns.

    The accuracy is rounded to two decimals once, so that PGN, report and JSON agree.
    """

    verdicts: dict[Verdict, int]
    accuracy: float | None
    centipawn_loss: int | None


def rescaled(analyses: Iterable[PositionAnalysis], knots: Knots = KNOTS) -> list[PositionAnalysis]:
    """Return analyses with their scores on Stockfish's scale; mates stay."""

    def scaled(line: ScoredLine) -> ScoredLine:
        return line if line.cp is None else replace(line, cp=on_stockfish_scale(line.cp, knots))

    return [
        PositionAnalysis(
            tuple(map(scaled, analysis.lines)),
            threat=scaled(analysis.threat) if analysis.threat else None,
        )
        for analysis in analyses
    ]


def read_line(board: chess.Board, line: ScoredLine) -> Line:
    """Return a line of the position on ``board`` in python-chess's types."""
    score = Mate(line.mate) if line.mate is not None else Cp(line.cp or 0)
    moves = tuple(map(board.copy(stack=False).push_uci, line.pv))
    return Line(PovScore(score, board.turn), moves)


def judge_moves(
    board: chess.Board, moves: Sequence[chess.Move], analyses: Sequence[PositionAnalysis],
    thresholds: Sequence[float] = THRESHOLDS,
) -> Iterator[JudgedMove]:  # fmt: skip
    """Yield the judged moves of a game that begins on ``board``; ``analyses`` has one more."""
    board = board.copy()
    lines = [read_line(board, line) for line in analyses[0].lines]
    for ply, move in enumerate(moves, 1):
        mover, before, forced = board.turn, lines, board.legal_moves.count() == 1
        taking = retakes(board, move, board.peek() if board.move_stack else None)
        board.push(move)
        lines = [read_line(board, line) for line in analyses[ply].lines]
        after = PovScore(MateGiven, mover) if board.is_checkmate() else lines[0].score
        played = before[0].moves[:1] == (move,)
        found = Verdict.NONE
        if not (played or forced or is_decided(before[0].score, after, mover)):
            found = classify(before[0].score.pov(mover), after.pov(mover), thresholds)
        only = played and not forced and not taking and _is_only(before, mover)
        yield JudgedMove(ply, mover, move, before[0].score, after, before[0], found, only)


def retakes(board: chess.Board, move: chess.Move, last: chess.Move | None) -> bool:
    """Return whether ``move`` captures what moved to its square as the ``last`` move, an obvious
    recapture."""
    return last is not None and board.is_capture(move) and last.to_square == move.to_square


def is_decided(before: PovScore, after: PovScore, mover: chess.Color) -> bool:
    """Return whether one side is clearly winning before and after; a mate counts as clearly."""
    scores = [score.pov(mover).score(mate_score=MATE) for score in (before, after)]
    return min(scores) >= DECIDED or max(scores) <= -DECIDED


def _is_only(lines: Sequence[Line], mover: chess.Color) -> bool:
    """Return whether the best line is far better than all others, in an undecided game."""
    if len(lines) < 2:
        return False
    best, second = (win_percent(line.score.pov(mover)) for line in lines[:2])
    kept = abs(lines[0].score.pov(mover).score(mate_score=MATE)) < DECIDED
    return kept and best - second >= ONLY_MOVE


def summarise(
    moves: Sequence[JudgedMove], color: chess.Color, accuracy: Accuracies | None
) -> Summary:
    """Return one side's summary."""
    mine = [move for move in moves if move.mover == color]
    counted = {each: sum(move.verdict == each for move in mine) for each in SCALE[1:]}
    scores, first = [move.after for move in moves], moves[0]
    loss = centipawn_loss(scores, color, first.before, first.mover)
    percent = round(accuracy[color], 2) if accuracy else None
    return Summary(counted, percent, loss)


def accuracy_of(moves: Sequence[JudgedMove]) -> Accuracies | None:
    """Return the accuracy of both sides."""
    return game_accuracy([move.after for move in moves], moves[0].mover, moves[0].before)
