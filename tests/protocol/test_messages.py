"""Lines of analysis and the move as text: pure functions."""

import pytest

from engine.search.score import MATE, MATE_IN_MAX, moves_to_mate
from uci.protocol.messages import Info, format_bestmove, format_info, format_progress


def info(**changes: object) -> Info:
    values: dict[str, object] = {
        "depth": 3,
        "seldepth": 7,
        "score": 20,
        "nodes": 5000,
        "time": 10,
        "pv": ("e2e4", "e7e5"),
        "hashfull": 4,
    }
    return Info(**(values | changes))  # type: ignore[arg-type]


def test_info_line() -> None:
    assert format_info(info()) == (
        "info depth 3 seldepth 7 multipv 1 score cp 20 nodes 5000 nps 500000"
        " hashfull 4 tbhits 0 time 10 pv e2e4 e7e5"
    )


def test_info_with_chances() -> None:
    text = format_info(info(wdl=(300, 500, 200), bound="lower"))
    assert " score cp 20 lowerbound wdl 300 500 200 nodes " in text


def test_progress() -> None:
    assert format_progress(9, "e2e4", 3) == "info depth 9 currmove e2e4 currmovenumber 3"


def test_info_bounds_and_empty_lines() -> None:
    assert "score cp 20 lowerbound nodes" in format_info(info(bound="lower"))
    assert "score mate 2 upperbound nodes" in format_info(info(score=MATE - 3, bound="upper"))
    assert format_info(info(pv=(), time=0)).endswith("nps 5000000 hashfull 4 tbhits 0 time 0")


def test_bestmove() -> None:
    assert format_bestmove(("e2e4",)) == "bestmove e2e4"
    assert format_bestmove(("e2e4", "e7e5", "g1f3")) == "bestmove e2e4 ponder e7e5"
    assert format_bestmove(()) == "bestmove (none)"


@pytest.mark.parametrize(
    ("score", "moves"),
    [
        (MATE - 1, 1),
        (MATE - 2, 1),
        (MATE - 3, 2),
        (MATE - 5, 3),
        (-MATE, 0),
        (2 - MATE, -1),
        (4 - MATE, -2),
        (0, None),
        (MATE_IN_MAX - 1, None),
        (1 - MATE_IN_MAX, None),
    ],
)
def test_mates_are_counted_in_moves(score: int, moves: int | None) -> None:
    assert moves_to_mate(score) == moves
