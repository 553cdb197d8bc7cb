"""Messages about unreadable games and about choices that match no game; the final summary."""

from pathlib import Path

import pytest

from helpers.inline_executor import Inline
from helpers.three_games import GAMES, call, document

GOOD = '[White "Smith"]\n[Black "Jones"]\n\n1. e4 e5 1-0\n\n'
UNPLAYED = '[White "Miller"]\n[Black "Jones"]\n[Result "{}"]\n\n{}\n\n'
FOREIGN = '[White "Miller"]\n[Black "Jones"]\n\n1. Sf3 d5 *\n\n'


def said(path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Analyse the games of a text; return the messages about those that cannot be read."""
    path.write_text(text, encoding="utf-8")
    assert call(path, "--quiet", "--force") == 1
    start = f"pythagoras: {path}: "
    lines = capsys.readouterr().err.splitlines()
    return [line.removeprefix(start) for line in lines if line.startswith(start)]


def test_unplayed_games_get_one_line(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forfeits = UNPLAYED.format("1-0", "1-0") * 605
    assert said(games, GOOD + forfeits + GOOD, capsys) == [
        "605 games have no moves; the first is game 2"
    ]
    found = document(games.parent)
    assert len(found["games"]) == 2
    assert [each["number"] for each in found["unread"]] == list(range(2, 607))
    assert {each["error"] for each in found["unread"]} == {"it has no moves"}


def test_a_single_one_is_named(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = said(games, GOOD + UNPLAYED.format("*", "*"), capsys)
    assert lines == [f"game 2 at byte {len(GOOD)}: it has no moves"]


def test_of_many_with_the_same_fault_five_are_named(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for count, rest in ((5, []), (6, ["1 more game: "]), (1234, ["1,229 more games: "])):
        lines = said(games, GOOD + FOREIGN * count, capsys)
        why = "'Sf3' does not use English piece letters"
        assert [line.partition(" at ")[0] for line in lines[:5]] == [
            f"game {number}" for number in range(2, 7)
        ]
        assert lines[5:] == [f"{words}{why}" for words in rest]
        assert len(document(games.parent)["unread"]) == count


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        (GAMES, ["--games", "4-9"], "--games 4-9 selects none of 3 games"),
        (GAMES, ["--games", "1", "--side", "Nobody"], "no player matches 'Nobody' in 1 game"),
        (GAMES, ["--games", "2"], "1 game could not be read"),
        (
            GAMES,
            ["--side", "Nobody"],
            "1 game could not be read, and no player matches 'Nobody' in 2 games",
        ),
        ("", [], "it contains no games"),
        (UNPLAYED.format("*", "*") * 3, [], "3 games could not be read"),
    ],
)
def test_an_empty_choice_says_why(
    text: str, words: list[str], why: str, inline: Inline, games: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    games.write_text(text, encoding="utf-8")
    for quiet in ([], ["--quiet"]):
        assert call(games, *words, *quiet) == 1
        last = capsys.readouterr().err.splitlines()[-1]
        assert last == f"{games}: nothing analysed: {why}"


def test_it_ends_by_naming_the_pages(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, empty = games.with_name("other.pgn"), games.with_name("empty.pgn")
    other.write_text(GOOD, encoding="utf-8")
    empty.write_text("")
    call(games, empty, other)
    pages = [f"HTML report: {path.with_suffix('.html')}" for path in (games, other)]
    assert capsys.readouterr().err.splitlines()[-2:] == pages
    assert call(other, "--no-html", "--force") == 0
    assert "HTML" not in capsys.readouterr().err
