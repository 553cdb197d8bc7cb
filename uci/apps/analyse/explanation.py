"""Explains a game: judged moves, opening, phases, result, and a summary of each side."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import chess
import chess.pgn

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.annotate import source_signs
from uci.apps.analyse.judge import JudgedMove, Summary, accuracy_of, judge_moves, summarise
from uci.apps.analyse.lichess import Verdict
from uci.apps.analyse.threats import threat_in
from uci.apps.games.game_results import UNKNOWN, contradictions, result_on_board
from uci.apps.games.openings import Opening, opening_of
from uci.apps.games.phases import Phases, divide
from uci.protocol.scored_line import ScoredLine

DRAWN = PositionAnalysis((ScoredLine(depth=0, cp=0, mate=None, bound="", pv=()),))
"""The analysis of a position in which the game is drawn."""

LONGEST_CLOCK = 1e9
"""Maximum clock time in seconds."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a game.

    ``boards``, ``analyses`` and ``threats`` have one entry more than ``moves``.

    ``headers`` are the source's; ``clocks`` is the time left after each move in seconds, or None;
    ``signs`` are the source's marks, as NAGs. The ``result`` is that of the last position if the
    game is over there, otherwise the source's, whose ``contradictions`` are sentences without a
    full stop.
    """

    headers: dict[str, str]
    result: str
    contradictions: Sequence[str]
    clocks: Sequence[float | None]
    signs: Sequence[Sequence[int]]
    boards: Sequence[chess.Board]
    analyses: Sequence[PositionAnalysis]
    moves: Sequence[JudgedMove]
    threats: Sequence[ScoredLine | None]
    opening: Opening | None
    phases: Phases
    summaries: dict[chess.Color, Summary]


def explain(
    game: chess.pgn.Game, analyses: Sequence[PositionAnalysis], sides: Collection[chess.Color],
    thresholds: Sequence[float], after_moves: str = UNKNOWN,
) -> Explanation:  # fmt: skip
    """Judge the moves of ``sides`` in a game by the analysis of its positions.

    ``after_moves`` is the result after the moves in the source.
    """
    boards = list(positions_of(game))
    is_drawn = is_claimed_draw(game.headers["Result"], game.end().board())
    analyses = [*analyses[:-1], DRAWN if is_drawn else analyses[-1]]
    played = [node.move for node in game.mainline()]
    moves = list(judge_moves(boards[0], played, analyses, thresholds))
    accuracy = accuracy_of(moves)
    summaries = {side: summarise(moves, side, accuracy) for side in sides}
    shown = shown_moves(moves, sides)
    opening = opening_of(boards)
    tag, decided = game.headers["Result"], result_on_board(boards[-1])
    return Explanation(
        headers=dict(game.headers),
        result=tag if decided == UNKNOWN else decided,
        contradictions=contradictions(boards[-1], tag, after_moves),
        clocks=[_clock(node) for node in game.mainline()],
        signs=source_signs(game),
        boards=boards,
        analyses=analyses,
        moves=shown,
        threats=[
            threat_in(board, last, analysis, thresholds)
            for board, last, analysis in zip(boards, [None, *played], analyses, strict=True)
        ],
        opening=opening,
        phases=divide(boards),
        summaries=summaries,
    )


def is_claimed_draw(result: str, end: chess.Board) -> bool:
    """Return whether a draw was claimed by threefold repetition, which does not end searches."""
    return result == "1/2-1/2" and end.is_repetition(3)


def shown_moves(moves: Sequence[JudgedMove], sides: Collection[chess.Color]) -> list[JudgedMove]:
    """Return the moves, those of other than the judged ``sides`` without a verdict."""
    return [
        move if move.mover in sides else replace(move, verdict=Verdict.NONE, only=False)
        for move in moves
    ]


def _clock(node: chess.pgn.GameNode) -> float | None:
    """Return the seconds left after a move; None if its comment has no valid clock."""
    try:
        seconds = node.clock()
    except (ValueError, OverflowError):  # for example thousands of digits
        return None
    return seconds if seconds is not None and seconds < LONGEST_CLOCK else None


def positions_of(game: chess.pgn.Game) -> list[chess.Board]:
    """Return the positions of a game's main line, from its start to its end, without histories."""
    board = game.board()
    found = [board.copy(stack=False)]
    for move in game.mainline_moves():
        board.push(move)
        found.append(board.copy(stack=False))
    return found
