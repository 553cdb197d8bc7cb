"""A match of tablebases on against off: openings, results, and two of its games."""

import chess
import chess.syzygy
import pytest

from helpers.syzygy import FOLDER
from scripts.data.game_endgames import PIECES
from scripts.match.openings import read_openings
from scripts.match.table_match import OPENINGS, Results, play, value_of


def test_openings() -> None:
    """The openings are distinct and legal, without possible captures."""
    fens = read_openings(OPENINGS)
    assert len(fens) == len(set(fens)) == 500
    for number, board in enumerate(map(chess.Board, fens)):
        assert board.is_valid()
        assert chess.popcount(board.occupied) == PIECES[number % len(PIECES)]
        assert not board.is_check()
        assert not any(board.generate_legal_captures())


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 1),
        ("8/8/8/3k4/8/8/8/KQ6 b - - 0 1", 1),
        ("8/8/8/3K4/8/8/8/kq6 b - - 0 1", -1),
        ("8/8/8/3k4/8/8/8/KN6 w - - 0 1", 0),
        ("8/8/8/3k4/8/8/8/KQ6 w - - 1 1", None),
    ],
)
def test_values_are_for_white(fen: str, value: int | None) -> None:
    with chess.syzygy.open_tablebase(FOLDER) as tables:
        assert value_of(tables, chess.Board(fen)) == value


def test_a_game() -> None:
    """A game's value is that of its first position in the tables."""

    def first(board: chess.Board, game: object) -> chess.Move:
        moves = list(board.legal_moves)
        return next((move for move in moves if board.is_capture(move)), moves[0])

    with chess.syzygy.open_tablebase(FOLDER) as tables:
        assert play("8/8/8/8/8/2k5/1r6/KQ6 w - - 0 1", first, first, tables) == (0, 1)
        assert play("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", first, first, tables) == (0, 0)
        assert play("7k/6Q1/6K1/8/8/8/8/8 b - - 3 1", first, first, tables) == (1, None)


def test_results() -> None:
    results = Results()
    results.add([(1, 1), (0, 1)])
    results.add([(-1, None), (0, 0)])
    assert results.pairs.games == [1, 2, 1]
    counts = {(row[0], row[1]): row[2:] for row in results.rows()}
    assert counts["with tables", "won"] == ("2", "1", "50.0 %")
    assert counts["without", "lost"] == ("2", "1", "50.0 %")
    assert counts["without", "drawn"] == ("1", "1", "100.0 %")
    assert counts["with tables", "lost"] == ("0", "0", "0.0 %")
