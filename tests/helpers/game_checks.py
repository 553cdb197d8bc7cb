"""Checks of generated games: legal, not over before the last move, with the right result."""

from collections.abc import Callable
from typing import Any

import chess

from engine.datagen.factory import Settings
from engine.datagen.game_record import NO_SCORE
from engine.search.score import MATE_IN_MAX
from helpers.games import lines_of, move_of, plies_of, result_of, start_of


def adjudicated(board: chess.Board, scores: list[int], settings: Settings) -> int | None:
    """Return the result, twice white's points, by the scores that led to ``board``, or None."""
    last = scores[-1]
    sign = 1 if last > 0 else -1
    decided = scores[-settings.win_plies :]
    if abs(last) >= MATE_IN_MAX or (
        len(decided) == settings.win_plies
        and all(score * sign >= settings.win_score for score in decided)
    ):
        return 1 + sign
    level = scores[-settings.draw_plies :]
    played = 2 * (board.fullmove_number - 1) + (board.turn == chess.BLACK)
    if (
        len(level) == settings.draw_plies
        and all(abs(score) <= settings.draw_score for score in level)
        and played >= settings.draw_from
    ):
        return 1
    return None


def by_the_rules(board: chess.Board) -> int | None:
    """Return the result, twice white's points, of a game that came to ``board``, or None."""
    outcome = board.outcome(claim_draw=False)
    if outcome is not None and outcome.winner is not None:
        return 2 if outcome.winner else 0
    if outcome is not None or board.is_repetition(3) or board.halfmove_clock >= 100:
        return 1
    return None


def check(
    words: Any,
    settings: Settings,
    by_tables: Callable[[chess.Board], int | None] = lambda board: None,
) -> chess.Board:
    """Replay a game; check that it is legal, ends with its last move only and has the right result.

    If it has PVs, they are legal, and nearly all begin with the move played: another is played only
    where it failed high, or avoids a mate, when the search was stopped. A PV is empty where the
    nodes did not suffice for one. ``by_tables`` returns the result of a position in tablebases.
    """
    board = start_of(words)
    first = words[15]
    assert settings.random_plies <= first <= settings.random_plies + 1
    assert board.turn == (first % 2 == 0)
    scores: list[int] = []
    result, others = None, 0
    plies, lines = plies_of(words), lines_of(words)
    if not settings.keep_pvs:
        assert not lines
        lines = [[]] * len(plies)
    assert len(lines) == len(plies)
    for number, ((word, score), line) in enumerate(zip(plies, lines, strict=True)):
        assert result is None
        assert number or abs(score) <= settings.opening_limit
        searched = score != NO_SCORE
        assert not line or searched
        others += bool(line) and line[0] != word
        ahead = board.copy(stack=False)
        for later in line:
            ahead.push(move_of(ahead, later))
        if searched:
            scores.append(score if board.turn else -score)
        board.push(move_of(board, word))
        result = adjudicated(board, scores, settings) if searched else None
        if result is None:
            result = by_the_rules(board)
        if result is None:
            result = by_tables(board)
    assert result == result_of(words)
    assert others <= 1 + len(plies) // 5
    return board
