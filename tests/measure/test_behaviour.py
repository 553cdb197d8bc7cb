"""The record of the engine's behaviour: complete but for times and versions, and repeatable."""

import re

import pytest

from scripts.measure import behaviour


def test_times_and_versions_are_left_out() -> None:
    lines = {
        "info depth 3 nodes 99 nps 1234 hashfull 0 tbhits 0 time 17 pv e2e4": (
            "info depth 3 nodes 99 hashfull 0 tbhits 0 pv e2e4"
        ),
        "id name Pythagoras 0.1.0": "id name Pythagoras ",
        "default Pythagoras 0.1.0rc1, an engine": "default Pythagoras , an engine",
        "bestmove e2e4 ponder e7e5": "bestmove e2e4 ponder e7e5",
    }
    for line, left in lines.items():
        assert behaviour._CHANGING.sub("", line) == left


@pytest.mark.parametrize("kind", ["middlegame", "chess960", "endgame"])
def test_the_positions_are_the_same_every_time(kind: str) -> None:
    first, again = (behaviour.boards(kind, 5) for _ in range(2))
    assert first == again
    assert len({board.fen() for board in first}) == 5
    assert all(any(board.legal_moves) for board in first)


@pytest.mark.slow
def test_two_records_are_the_same(capsys: pytest.CaptureFixture[str], warm: object) -> None:
    told = []
    for parts in (["analysis", "texts"], ["analysis"]):
        assert behaviour.main([*parts, "--positions", "1"]) == 0
        told.append(capsys.readouterr().out)
    assert re.fullmatch(r"analysis [0-9a-f]{64}\ntexts    [0-9a-f]{64}\n", told[0])
    assert told[0].startswith(told[1].strip())


def test_an_unknown_part(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        behaviour.main(["everything"])
    assert "unknown part: everything" in capsys.readouterr().err
