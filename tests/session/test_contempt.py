"""Contempt changes the score of a draw, in games only, and lines still explain their scores."""

import chess
import pytest

from helpers.puppet_session import Client
from helpers.syzygy import FOLDER
from uci.apps.engines.pv_checks import TRUE, check_lines
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.strength.contempt import contempt_of, opponent_rating

FIFTY = "7k/5K2/6PP/8/8/8/8/6b1 b - - 99 80"
"""A position drawn by the fifty-move rule after any move of Black."""

STALEMATE = "8/8/8/8/8/5k2/7p/7K w - - 0 1"

DEAD = "7k/8/8/8/8/8/1q6/K7 w - - 0 1"
"""A position whose only move leaves two kings."""


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("GM 2800 human Gary Kasparov", 2800),
        ("none none computer Shredder", None),
        ("  NONE  1500\tComputer ", 1500),
        ("", None),
    ],
)
def test_opponents(text: str, rating: int | None) -> None:
    assert opponent_rating(text) == rating


def test_by_the_ratings() -> None:
    assert contempt_of(7, False, 300, 2900, 2000) == 7
    assert contempt_of(7, True, 0, 2900, None) == 7, "nothing is known"
    assert contempt_of(7, True, -300, 2900, 2000) == -30, "the GUI knows better"
    assert contempt_of(7, True, 0, 2900, 2700) == 20
    assert contempt_of(7, True, 0, 2900, 1000) == 100


def test_options_reach_the_search(client: Client) -> None:
    def contempt(*lines: str, go: str = "go depth 2") -> int:
        client.say(*(f"setoption name {line}" for line in lines), go).until("info depth 1")
        client.say("stop").until("bestmove")
        return client.engine.contempts[-1]

    assert contempt() == 0
    assert contempt("Contempt value 12") == 12
    assert contempt(go="go ponder wtime 1000 btime 1000") == 12
    for go in ("go infinite", "go mate 2", "go depth 2 searchmoves e2e4"):
        assert contempt(go=go) == 0
    assert contempt("UCI_AnalyseMode value true") == 0
    assert contempt("UCI_AnalyseMode value false", "Contempt Auto value true") == 12
    assert contempt("UCI_Opponent value GM 2600 human Magnus") == 30
    assert contempt("UCI_RatingAdv value 150") == 15
    said = client.say("setoption name UCI_Opponent value 2600 human").until("info string")
    assert "UCI_Opponent: expected TITLE" in said[-1]
    assert client.session.options.text("UCI_Opponent") == "GM 2600 human Magnus"
    with pytest.raises(UciError):
        opponent_rating("none -5 human x")


def scored(client: Client, *lines: str) -> list[ScoredLine]:
    said = client.say(*lines).until("bestmove", 60)
    return [line for text in said if (line := parse_info(text)) is not None]


@pytest.mark.parametrize("contempt", [40, -40])
def test_a_draw_has_its_score(real_client: Client, contempt: int) -> None:
    client = real_client
    client.say(f"setoption name Contempt value {contempt}", "setoption name UCI_ShowWDL value true")
    for fen in (FIFTY, STALEMATE, DEAD):
        board = chess.Board(fen)
        last = scored(client, f"position fen {fen}", "go depth 6")
        found = check_lines(board, last, None, -contempt)
        faults = [fault for check, fault in found if check == TRUE]
        assert faults
        assert not any(faults)
        assert (last[-1].cp, last[-1].wdl) == (-contempt, (0, 1000, 0))
    client.say("setoption name UCI_AnalyseMode value true")
    assert scored(client, f"position fen {FIFTY}", "go depth 6")[-1].cp == 0


def test_tablebases_draws_too(real_client: Client) -> None:
    client = real_client
    client.say(f"setoption name SyzygyPath value {FOLDER}", "setoption name Contempt value 25")
    drawn = "k7/8/P7/K7/8/8/8/8 w - - 0 1"
    assert scored(client, f"position fen {drawn}", "go depth 4")[-1].cp == -25
