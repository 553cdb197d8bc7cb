"""The answer to ``go``: lines, WDL chances, progress, weak moves; with a puppet engine."""

import time

import chess
import pytest

from helpers.line_checks import read_info
from helpers.puppet_session import CASTLES, Client
from helpers.timing import Clock


def test_multipv(client: Client) -> None:
    client.say("setoption name multipv value 3")
    lines = [read_info(line) for line in client.say("go depth 4").until("bestmove")[:-1]]
    assert [(line.depth, line.multipv) for line in lines] == [
        (depth, number) for depth in range(1, 5) for number in range(1, 4)
    ]
    client.say("setoption name MultiPV value 256").say(f"position fen {CASTLES}", "go depth 1")
    lines = [read_info(line) for line in client.until("bestmove")[:-1]]
    assert len(lines) == chess.Board(CASTLES).legal_moves.count()
    client.say("setoption name MultiPV value 257")
    assert "1 to 256" in client.until("info string")[-1]


def test_the_first_line_decides(client: Client) -> None:
    said = client.say("setoption name MultiPV value 3", "go depth 4").until("bestmove")
    assert said[-1] == f"bestmove {read_info(said[-4]).pv[0]}"


def test_chances(client: Client) -> None:
    assert " wdl " not in client.say("go depth 1").answer()[0]
    client.say("setoption name UCI_ShowWDL value true")
    assert read_info(client.say("go depth 1").answer()[0]).wdl is not None
    mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    said = client.say(f"position fen {mated}", "go depth 1").until("bestmove")
    assert " score mate 0 wdl 0 0 1000 " in said[0]
    said = client.say("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go").until("info")
    assert " score cp 0 wdl 0 1000 0 " in said[0]


@pytest.mark.parametrize("lines", [1, 3])
def test_minimal(client: Client, lines: int) -> None:
    client.engine.progress = True
    client.say("setoption name Minimal value true", f"setoption name MultiPV value {lines}")
    said = client.say("go depth 4").until("bestmove")
    assert [read_info(line).depth for line in said[:-1]] == [4] * lines
    client.say("go infinite")
    assert client.is_silent()
    assert len(client.say("stop").until("bestmove")) == lines + 1
    client.engine.bounds = ("upper", "lower")
    client.say("setoption name MultiPV value 1", "go depth 2")
    exact, lower, _ = client.until("bestmove")
    assert "bound" not in exact
    assert " lowerbound " in lower


def test_progress_is_told_and_a_score_comes_last(client: Client) -> None:
    client.engine.progress = True
    lines = client.say("go depth 3").answer()
    assert sum(" currmove " in line for line in lines) == 3
    first = next(line for line in lines if " currmove " in line)
    assert first.startswith("info depth 1 currmove ")
    assert first.endswith(" currmovenumber 1")


def test_the_last_line_tells_what_the_whole_search_cost(client: Client) -> None:
    client.say("go infinite").until("info depth 3")
    client.engine.mute = True
    time.sleep(0.02)
    client.engine.total = 999_999  # nodes of an iteration that was not finished
    last = read_info(client.say("stop").answer()[-2])
    assert last.nodes == 999_999


# Weak play


def test_weak_play_chooses_among_lines(client: Client) -> None:
    client.say("setoption name Skill Level value 0")
    played = set()
    for _ in range(20):
        lines = client.say("go depth 9").answer()
        assert len(lines) <= 4, "two depths, one line of each, the chosen one"
        played.add(lines[-1])
    assert len(played) > 3
    assert set(client.engine.multipv) == {10}
    assert client.engine.asked[-1][0].depth == 2


def test_the_lowest_levels_draw_among_more_lines(client: Client) -> None:
    client.say("setoption name Skill Level value -7", "go depth 9").answer()
    client.say("setoption name MultiPV value 20", "go depth 1").until("bestmove")
    assert client.engine.multipv == [19, 20]
    assert [limits.depth for limits, _ in client.engine.asked] == [2, 1]


def test_no_odd_moves_against_a_lone_king(client: Client) -> None:
    won = chess.Board("7k/8/8/8/8/8/8/KR6 w - - 0 1")
    client.say("setoption name Skill Level value -7", f"position fen {won.fen()}")
    client.say("go depth 9").answer(won)
    assert client.engine.asked[-1][0].depth == 6
    assert client.engine.multipv == [1]


def test_weak_play_takes_its_time_but_not_more() -> None:
    client = Client(now=(clock := Clock()))
    client.say("setoption name Skill Level value 6")
    client.say("go movetime 200").answer()
    client.say("go movetime 60000").until("info depth 8")
    assert client.goes_on(), "it is done and waits"
    client.say("stop").answer()
    client.say("go ponder movetime 60000").until("info depth 8")
    clock.advance(60)
    client.say("ponderhit").answer()


@pytest.mark.parametrize("setting", ["UCI_AnalyseMode value true", "Skill Level value 20"])
def test_full_strength(client: Client, setting: str) -> None:
    client.say("setoption name Skill Level value 3", f"setoption name {setting}", "go depth 8")
    client.answer()
    assert client.engine.multipv == [1]
    assert client.engine.asked[-1][0].depth == 8


def test_analysis_knows_no_weakness(client: Client) -> None:
    client.say("setoption name Skill Level value 3", "go infinite").until("info depth 9")
    client.say("stop").answer()
    assert client.engine.multipv == [1]
