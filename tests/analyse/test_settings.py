"""The choices of games, sides and limits, and the errors for invalid ones."""

import chess
import pytest

from uci.apps.analyse.analysis_settings import (
    AnalysisSettings,
    Numbers,
    parse_numbers,
    parse_thresholds,
)
from uci.errors import UciError


@pytest.mark.parametrize(
    ("text", "inside", "outside", "last"),
    [
        ("3-10", [3, 10], [2, 11], 10),
        ("7", [7], [6, 8], 7),
        ("3-", [3, 10**6], [1, 2], None),
        ("-4", [1, 4], [5], 4),
        ("1, 5-6 ,9", [1, 5, 6, 9], [2, 4, 7, 10], 9),
    ],
)
def test_numbers(text: str, inside: list[int], outside: list[int], last: int | None) -> None:
    found = parse_numbers(text)
    assert all(number in found for number in inside)
    assert not any(number in found for number in outside)
    assert found.ended_by(10**9) == (last is not None)
    assert last is None or (found.ended_by(last + 1) and not found.ended_by(last))


@pytest.mark.parametrize(
    "text", ["", "-", "0", "0-3", "5-3", "a", "1-b", "1,,2", "-0", "1.5", "--2"]
)
def test_what_are_no_numbers(text: str) -> None:
    with pytest.raises(UciError, match="--games"):
        parse_numbers(text)


def test_all_numbers_without_being_told() -> None:
    assert 1 in Numbers()
    assert not Numbers().ended_by(10**9)


def test_thresholds() -> None:
    assert parse_thresholds("5,10,20") == (5, 10, 20)
    assert parse_thresholds("2.5, 2.5, 100") == (2.5, 2.5, 100)


@pytest.mark.parametrize(
    "text",
    ["", "5", "5,10", "5,10,15,20", "10,5,15", "0,1,2", "1,2,101", "a,b,c", "nan,nan,nan"],
)
def test_what_are_no_thresholds(text: str) -> None:
    with pytest.raises(UciError, match="--thresholds"):
        parse_thresholds(text)


@pytest.mark.parametrize(
    ("side", "found"),
    [
        ("", [chess.WHITE, chess.BLACK]),
        ("White", [chess.WHITE]),
        ("black", [chess.BLACK]),
        ("müller", [chess.BLACK]),
        ("SMITH", [chess.WHITE]),
        ("m", [chess.WHITE, chess.BLACK]),
        ("nobody", []),
    ],
)
def test_sides(side: str, found: list[chess.Color]) -> None:
    headers = {"White": "Smith, John", "Black": "Müller"}
    assert list(AnalysisSettings(side=side).sides_of(headers)) == found


def test_what_the_looks_depend_on() -> None:
    plain = AnalysisSettings()
    assert AnalysisSettings(thresholds=(1, 2, 3), side="white", jobs=7).key == plain.key
    others = [
        AnalysisSettings(("nodes", 5)),
        AnalysisSettings(multipv=3),
        AnalysisSettings(hash=1),
        AnalysisSettings(threads=2),
        AnalysisSettings(threat_limit=("nodes", 5)),
    ]
    for other in (*others, AnalysisSettings(tables="x")):
        assert other.key != plain.key


def test_who_looked_and_how() -> None:
    assert AnalysisSettings().words.endswith("2,000,000 nodes a position, lichess's rules")
    words = AnalysisSettings(("depth", 12), thresholds=(5, 10, 20)).words
    assert words.endswith("12 plies a position, lichess's rules at 5, 10, 20 points")
