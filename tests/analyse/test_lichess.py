"""Accuracy, verdicts and phases: the cases that lila and scalachess test, and more."""

import itertools
from pathlib import Path

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Mate, MateGiven, PovScore, Score

from helpers.cases import at_least
from uci.apps.analyse.lichess import (
    SCALE,
    Verdict,
    centipawn_loss,
    classify,
    game_accuracy,
    move_accuracy,
    win_percent,
)
from uci.apps.games.phases import Phases, divide

INITIAL = PovScore(Cp(15), chess.WHITE)
"""The value of the starting position in lila's tests."""


def white(*centipawns: int) -> list[PovScore]:
    return [PovScore(Cp(value), chess.WHITE) for value in centipawns]


@pytest.mark.parametrize(
    ("score", "percent"),
    [(Cp(0), 50), (Cp(100), 59.1), (Cp(300), 75.1), (Cp(1000), 97.5), (Cp(5000), 97.5),
     (Mate(3), 97.5), (MateGiven, 97.5), (Mate(-1), 2.5), (Mate(0), 2.5), (Cp(-100), 40.9)],
)  # fmt: skip
def test_win_percentages(score: Score, percent: float) -> None:
    assert win_percent(score) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize(
    ("centipawns", "accuracy"),
    [
        ([15, 15], (100, 100, 0.01)),
        ([-900, -900], (10, 100, 5)),
        ([15] * 20 + [-900], (50, 100, 5)),
        ([-50, 15] * 50, (76, 76, 8)),
        ([-135, 15] * 50, (54, 54, 8)),
        ([-435, 15] * 50, (20, 20, 8)),
    ],
)
def test_lilas_games(centipawns: list[int], accuracy: tuple[float, float, float]) -> None:
    found = game_accuracy(white(*centipawns), chess.WHITE, INITIAL)
    assert found is not None
    assert found[chess.WHITE] == pytest.approx(accuracy[0], abs=accuracy[2])
    assert found[chess.BLACK] == pytest.approx(accuracy[1], abs=accuracy[2])


def test_the_side_that_begins_does_not_matter() -> None:
    values = [30, -200, 100, 90, -500, -480, -470]
    first = game_accuracy(white(*values), chess.WHITE, INITIAL)
    mirrored = [PovScore(Cp(-value), chess.WHITE) for value in values]
    second = game_accuracy(mirrored, chess.BLACK, PovScore(Cp(-15), chess.WHITE))
    assert first is not None
    assert second is not None
    assert first == pytest.approx({not color: each for color, each in second.items()})


def test_nothing_unless_both_sides_moved() -> None:
    assert game_accuracy([], chess.WHITE, INITIAL) is None
    assert game_accuracy(white(15), chess.WHITE, INITIAL) is None
    assert game_accuracy(white(15, 15), chess.WHITE, INITIAL) is not None


@pytest.mark.parametrize(("lost", "accuracy"), [(-5, 100), (0, 100), (10, 64.6), (100, 0)])
def test_the_accuracy_of_a_move(lost: float, accuracy: float) -> None:
    assert move_accuracy(100, 100 - lost) == pytest.approx(accuracy, abs=0.05)


def test_centipawn_loss() -> None:
    scores = white(-85, -85, 2000, 2000, 900)
    assert centipawn_loss(scores, chess.WHITE, INITIAL, chess.WHITE) == round((100 + 0 + 100) / 3)
    assert centipawn_loss(scores, chess.BLACK, INITIAL, chess.WHITE) == round((0 + 0) / 2)
    assert centipawn_loss(white(14, 14, 14), chess.WHITE, INITIAL, chess.WHITE) == 1  # 0.5
    assert centipawn_loss(white(15), chess.BLACK, INITIAL, chess.WHITE) is None
    black_first = centipawn_loss(white(115), chess.BLACK, INITIAL, chess.BLACK)
    assert black_first == 100


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (Cp(0), Cp(-53), Verdict.NONE),
        (Cp(0), Cp(-55), Verdict.INACCURACY),
        (Cp(0), Cp(-109), Verdict.INACCURACY),
        (Cp(0), Cp(-111), Verdict.MISTAKE),
        (Cp(0), Cp(-169), Verdict.BLUNDER),
        (Cp(900), Cp(700), Verdict.NONE),
        (Cp(-53), Cp(0), Verdict.NONE),
        (Cp(3000), Cp(2000), Verdict.NONE),
        (Cp(0), Mate(-3), Verdict.BLUNDER),
        (Cp(-701), Mate(-3), Verdict.MISTAKE),
        (Cp(-700), Mate(-3), Verdict.BLUNDER),
        (Cp(-1000), Mate(-3), Verdict.INACCURACY),
        (Mate(3), Cp(1000), Verdict.INACCURACY),
        (Mate(3), Cp(999), Verdict.MISTAKE),
        (Mate(3), Cp(701), Verdict.MISTAKE),
        (Mate(3), Cp(700), Verdict.BLUNDER),
        (Mate(3), Cp(-400), Verdict.BLUNDER),
        (Mate(3), Mate(-2), Verdict.BLUNDER),
        (Mate(3), Mate(9), Verdict.NONE),
        (Mate(1), MateGiven, Verdict.NONE),
        (Cp(50), MateGiven, Verdict.NONE),
        (Cp(50), Mate(5), Verdict.NONE),
        (Mate(-3), Mate(-1), Verdict.NONE),
        (Mate(-3), Cp(20), Verdict.NONE),
    ],
)
def test_verdicts(before: Score, after: Score, expected: Verdict) -> None:
    assert classify(before, after) == expected


def test_other_thresholds() -> None:
    assert classify(Cp(0), Cp(-169), (5, 10, 20)) == Verdict.MISTAKE
    assert [each.glyph for each in SCALE] == ["", "?!", "?", "??"]
    assert [each.severity for each in SCALE] == [0, 1, 2, 3]
    assert [each.value for each in SCALE] == [0, 6, 2, 4]


def games(path: Path) -> list[chess.pgn.Game]:
    with path.open(encoding="utf-8") as file:
        return list(iter(lambda: chess.pgn.read_game(file), None))


def test_scalachess_games_are_divided_within_its_bounds(root: Path) -> None:
    """Only the positions before the moves are divided, so the last one does not count."""
    for game in at_least(7, games(root / "tests" / "data" / "phases.pgn")):
        boards = [node.board() for node in itertools.chain([game], game.mainline())][:-1]
        found = divide(boards)
        for phase in ("Middlegame", "Endgame"):
            ply = getattr(found, phase.lower())
            if phase in game.headers:
                low, high = map(int, game.headers[phase].split("-"))
                assert low <= ply <= high, (game.headers["Event"], phase)
            else:
                assert ply is None


def test_an_endgame_without_a_middlegame() -> None:
    ending = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    assert divide([ending, ending]) == Phases(None, 0)
    assert divide([chess.Board()]) == Phases(None, None)
