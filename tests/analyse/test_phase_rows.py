"""The losses of each side in the phases of a game."""

from helpers.documents import made_game, made_line, made_move
from uci.apps.analyse.report.phase_rows import phase_rows
from uci.apps.games.analysis_document import AnalysedGame, Side
from uci.apps.games.phases import Phases

BLACK_FIRST = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"


def game(
    wins: list[float | None],
    middlegame: int | None = None,
    endgame: int | None = None,
    first: Side = "black",
) -> AnalysedGame:
    """Return a game with White's chances in each position, None if it was not searched."""
    sides: tuple[Side, Side] = (first, "white" if first == "black" else "black")
    moves = [made_move(sides[at % 2], clock=60.0 - at) for at in range(len(wins) - 1)]
    positions = [(BLACK_FIRST, None if win is None else made_line(win=win)) for win in wins]
    return made_game(positions, moves, phases=Phases(middlegame, endgame))


def test_moves_are_numbered_as_players_count() -> None:
    one = game([50] * 5)
    assert [one.move_number(index) for index in range(4)] == [7, 8, 8, 9]


def test_each_side_loses_in_its_own_moves() -> None:
    one = game([50, 60, 40, 30, 35], middlegame=2)
    assert phase_rows(one) == [
        ["Opening, moves 7 to 8", "20.0", "0:00:59", "10.0", "0:01:00"],
        ["Middlegame, moves 8 to 9", "0.0", "0:00:57", "0.0", "0:00:58"],
    ]


def test_a_phase_without_moves_has_no_row() -> None:
    assert phase_rows(game([50])) == []
    assert [row[0] for row in phase_rows(game([50, 50], endgame=0))] == ["Endgame, moves 7 to 7"]
    (row,) = phase_rows(game([50, 50]))
    assert row == ["Opening, moves 7 to 7", "–", "", "0.0", "0:01:00"]


def test_what_was_not_searched_counts_as_even() -> None:
    assert phase_rows(game([70, None], first="white"))[0][1] == "20.0"
