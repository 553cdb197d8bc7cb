"""What each side lost in the phases of a game."""

from typing import Any

from uci.apps.analyse.report.phase_rows import number_of, phase_rows

BLACK_FIRST = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"


def game(wins: list[float], middlegame: int | None = None, endgame: int | None = None) -> Any:
    """A game of Black's first move, with White's chances in each position; one is not known."""
    positions = [{"fen": BLACK_FIRST, "lines": [{"win": win}]} for win in wins]
    moves = [
        {"color": "white" if index % 2 else "black", "clock": 60.0 - index}
        for index in range(len(wins) - 1)
    ]
    phases = {"middlegame": middlegame, "endgame": endgame}
    return {"positions": positions, "moves": moves, "phases": phases}


def test_moves_are_numbered_as_players_count() -> None:
    one = game([50] * 5)
    assert [number_of(one, index) for index in range(4)] == [7, 8, 8, 9]


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


def test_what_was_not_looked_at_counts_as_even() -> None:
    one = game([70, 50])
    one["positions"][1]["lines"] = []
    one["moves"][0]["color"] = "white"
    assert phase_rows(one)[0][1] == "20.0"
