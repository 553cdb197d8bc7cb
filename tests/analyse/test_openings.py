"""Names of openings."""

from pathlib import Path

import chess
import pytest

from uci.apps.games.openings import Opening, opening_of


def boards(moves: str, start: str = chess.STARTING_FEN) -> list[chess.Board]:
    board = chess.Board(start)
    played = [board.copy()]
    for san in moves.split():
        board.push_san(san)
        played.append(board.copy())
    return played


@pytest.mark.parametrize(
    ("moves", "opening"),
    [
        ("", None),
        ("e4 e5 Nf3 Nc6 Bb5", Opening("C60", "Ruy Lopez", 5)),
        ("e4 e5 Nf3 Nc6 Bb5 h5 h4", Opening("C60", "Ruy Lopez", 5)),
        ("Nf3 Nc6 e4 e5 Bb5", Opening("C60", "Ruy Lopez", 5)),
        ("a3 a6 b3 b6", Opening("A00", "Anderssen's Opening", 1)),
    ],
)
def test_the_last_name_counts(moves: str, opening: Opening | None) -> None:
    assert opening_of(boards(moves)) == opening


def test_other_starts_have_none() -> None:
    assert (
        opening_of(boards("e4", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1")) is None
    )


def test_the_licence_is_there(root: Path) -> None:
    text = (root / "uci" / "apps" / "games" / "openings.LICENSE").read_text()
    assert "CC0 1.0 Universal" in text
