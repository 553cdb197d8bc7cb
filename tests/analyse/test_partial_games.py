"""Games with illegal or unreadable moves: analysed up to these, and reported."""

from pathlib import Path

import pytest

from helpers.inline_executor import Inline
from helpers.three_games import call, document, read

GAMES = """[White "Ann"]
[Result "1-0"]

1. e4 e5 2. Ke3 Nf6 1-0

[White "Bob"]
[Result "1-0"]

1. e4 e5 (1... Qa4) 2. d4 -- 3. d5 1-0

[White "Cid"]
[Result "1-0"]

1. Ke2 1-0

1. e4 *
"""


def test_the_moves_before_an_illegal_one_are_analysed(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games.write_text(GAMES)
    assert call(games) == 1
    said = capsys.readouterr().err
    reports = [line.partition(": game ")[2] for line in said.splitlines() if " at byte " in line]
    second, third = GAMES.index('[White "Bob"]'), GAMES.index('[White "Cid"]')
    assert reports == [
        "1 at byte 0: 2. Ke3 is illegal; analysed up to the previous move",
        f"2 at byte {second}: 1... Qa4 is illegal; the variation ends before it",
        f"2 at byte {second}: 2... -- is a null move; analysed up to the previous move",
        f"3 at byte {third}: 1. Ke2 is illegal",
    ]
    assert ": 3 analysed, 2 of them partially, 1 unreadable; " in said
    found = document(games.parent)
    assert [game["errors"] for game in found["games"]] == [
        ["2. Ke3 is illegal"],
        ["1... Qa4 is illegal", "2... -- is a null move"],
        [],
    ]
    assert [len(game["moves"]) for game in found["games"]] == [2, 3, 1]
    one, *_ = read(games.parent / "games.analysed.pgn")
    assert "2. Ke3 is illegal. The source continues: Ke3 Nf6" in " ".join(one.end().comment.split())


def test_a_variation_in_part_is_enough_for_the_exit_status(inline: Inline, games: Path) -> None:
    games.write_text(GAMES)
    assert call(games, "--games", "4") == 0
    assert call(games, "--games", "1", "--force") == 1


def test_only_games_that_are_asked_for_are_reported(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games.write_text(GAMES)
    assert call(games, "--side", "Bob") == 1
    assert "Ke3" not in capsys.readouterr().err
