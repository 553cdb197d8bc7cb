"""All the words of ``go`` and what the answer carries. The engine here is a puppet."""

import threading
import time
from pathlib import Path

import chess
import pytest

from helpers.line_checks import read_info
from helpers.puppet_session import Client, Gate, Puppet, loading_client
from helpers.timing import PATIENCE, Clock
from uci.chess_io.adapter import text_of

CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def moves_of(client: Client) -> list[str]:
    """Return the root moves of the last search."""
    return [text_of(move, chess960=False) for move in client.engine.root_moves[-1] or ()]


# searchmoves


def test_searchmoves(client: Client) -> None:
    client.say("go searchmoves a2a4 h2h3 depth 5").answer()
    assert moves_of(client) == ["a2a4", "h2h3"]
    assert client.engine.asked[-1][0].depth == 5
    client.say("go depth 2").answer()
    assert client.engine.root_moves[-1] is None, "they do not leak into the next search"


def test_searchmoves_alone_is_infinite(client: Client) -> None:
    client.say("go searchmoves a2a4").until("info depth 9")
    client.say("stop").answer()


def test_searchmoves_castles_in_both_notations(client: Client) -> None:
    client.say(f"position fen {CASTLES}", "go depth 1 searchmoves e1g1 e1a1").until("bestmove")
    assert moves_of(client) == ["e1g1", "e1c1"]


@pytest.mark.parametrize("moves", ["e2e5", "e2e4 nonsense", "e7e5", "0000", "E2E4"])
def test_wrong_searchmoves_reject_the_whole_go(client: Client, moves: str) -> None:
    lines = client.say(f"go searchmoves {moves} depth 1").until("bestmove")
    assert "illegal move" in lines[-2]
    assert lines[-1] == "bestmove (none)"
    assert client.engine.asked == []


def test_no_search_is_answered_with_the_move_of_nothing(client: Client) -> None:
    client.say("go infinite", "go searchmoves e2e5").until("info string illegal move")
    assert client.goes_on()
    assert client.say("stop").until("bestmove")[-1] != "bestmove (none)"


def test_go_perft(client: Client) -> None:
    assert "e2e4: 5" in client.say("go perft 1").until("100"), "the puppet's count"


def test_searchmoves_without_kernels() -> None:
    gate = Gate(Puppet())
    try:
        lines = loading_client(gate).say("go movetime 50 searchmoves a2a3 h2h4").answer()
        assert lines[-1].split()[1] in ("a2a3", "h2h4")
    finally:
        gate.open.set()


# Pondering


def test_pondering_ends_with_ponderhit_only(client: Client) -> None:
    client.say("go ponder wtime 4000 btime 4000").until("info depth 9")
    assert client.engine.asked[-1][1] is None
    client.say("isready").until("readyok")
    assert client.goes_on()
    client.say("ponderhit").answer()
    ((limits, _),) = client.engine.asked
    assert limits.wtime == 4000
    assert len(client.engine.spent) == 1, "the same search goes on"
    assert client.say("ponderhit", "stop").is_silent()


def test_pondered_time_counts_towards_the_soft_limit() -> None:
    client = Client(now=(clock := Clock()))
    client.say("setoption name Move Overhead value 0", "go ponder wtime 410000 movestogo 20")
    client.until("info depth 3")
    clock.advance(15)
    client.say("ponderhit")
    assert client.engine.spent == [20_000], "from the beginning of the search"
    assert client.goes_on()
    clock.advance(5)
    client.answer()


def test_the_hard_limit_runs_from_ponderhit() -> None:
    client = Client(now=(clock := Clock()))
    client.say("go ponder movetime 60000").until("info depth 3")
    clock.advance(90)
    client.say("ponderhit")
    assert client.goes_on()
    client.say("stop").answer()


def test_the_hard_limit_ends_an_iteration_after_ponderhit(client: Client) -> None:
    client.engine.mute = True
    client.say("go ponder movetime 60")
    assert client.goes_on()
    client.say("ponderhit").answer()


def test_a_search_that_has_had_its_time_ends_at_ponderhit() -> None:
    client = Client(now=(clock := Clock()))
    client.say("go ponder wtime 410000 movestogo 20").until("info depth 3")
    clock.advance(60)
    while read_info(client.until("info depth")[-1]).time < 60_000:
        pass
    client.engine.mute = True  # it would not come to look at the time
    assert client.goes_on()
    client.say("ponderhit").answer()


def test_a_finished_search_waits_for_ponderhit(client: Client) -> None:
    client.say("go ponder depth 3").until("info depth 3")
    assert client.is_silent()
    assert client.session.busy()
    client.say("ponderhit").answer()
    assert client.is_silent()


@pytest.mark.parametrize("stopped", [False, True])
def test_no_timer_outlives_a_search(client: Client, stopped: bool) -> None:
    """A finished one has no use for a timer, whether it still waits for ``ponderhit`` or not."""
    others = {*threading.enumerate()}
    client.say("go ponder depth 3 wtime 1000000000").until("info depth 3")
    assert client.is_silent()
    if stopped:
        client.say("stop").until("bestmove")
        client.session.join()
    client.say("ponderhit")
    client.session.join()
    for thread in {*threading.enumerate()} - others:
        thread.join(PATIENCE)
        assert not thread.is_alive(), thread


def test_a_ponder_miss(client: Client) -> None:
    client.say("position startpos moves e2e4 e7e5", "go ponder wtime 4000 btime 4000")
    client.until("info depth 4")
    client.say("stop", "position startpos moves e2e4 c7c5", "go depth 2")
    client.answer(chess.Board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"))
    client.answer(chess.Board("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"))
    assert client.engine.cleared == 0, "what was learned is kept"
    assert client.is_silent()


@pytest.mark.parametrize("go", ["go ponder", "go ponder infinite", "go infinite ponder depth 2"])
def test_pondering_without_a_limit(client: Client, go: str) -> None:
    client.say(go).until("info depth 2")
    client.say("ponderhit")
    assert client.goes_on()
    client.say("stop").answer()
    assert client.is_silent()


def test_ponderhit_at_once(client: Client) -> None:
    for _ in range(10):
        client.say("go ponder wtime 300 btime 300", "ponderhit").answer()
    for _ in range(10):
        client.say("go ponder wtime 300 btime 300", "ponderhit", "stop").answer()
    assert client.is_silent()


def test_ponderhit_behind_another_search(client: Client) -> None:
    client.say("go infinite").until("info depth 3")
    client.say("go ponder movetime 50", "ponderhit")
    client.answer()
    client.answer()
    assert client.is_silent()


def test_pondering_without_kernels() -> None:
    gate = Gate(Puppet())
    try:
        client = loading_client(gate).say("go ponder wtime 2000 btime 2000")
        client.until("info depth 2")
        assert client.is_silent(0.2) or client.wire.lines[-1].startswith("info depth 3")
        client.say("ponderhit").answer()
    finally:
        gate.open.set()


def test_stray_ponderhit(client: Client) -> None:
    assert client.say("ponderhit").is_silent()
    client.say("go infinite").until("info depth 3")
    client.say("ponderhit").until("info depth 60")
    client.say("stop").answer()


# mate


def test_a_mate_that_is_not_there(client: Client) -> None:
    lines = client.say("go mate 2 depth 3").answer()
    assert "info string no mate in 2 moves" in lines
    assert "no mate in 1 moves by the given moves" in "".join(
        client.say("go mate 1 depth 1 searchmoves a2a3").answer()
    )


@pytest.mark.parametrize("go", ["go mate 3 depth 4", "go mate 3 nodes 20 depth 5", "go mate 70"])
def test_a_mate_that_was_not_looked_for_long_enough(client: Client, go: str) -> None:
    client.say(go)
    if go == "go mate 70":
        client.until("info depth 5")
        client.say("stop")
    said = "".join(client.answer())
    assert "ended before a mate" in said
    assert "no mate" not in said


# Several lines, chances, progress


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


# Conversation


def test_debug_tells_the_limits(client: Client) -> None:
    client.say("debug on", "go depth 1 wtime 60000")
    assert "soft limit" in client.until("info string")[-1]
    client.until("bestmove")
    client.say("joho debug off", "go depth 1 wtime 60000")
    assert not any("soft limit" in line for line in client.until("bestmove"))
    assert "debug needs" in client.say("debug").until("info string")[-1]


@pytest.mark.parametrize("line", ["register later", "register name Stefan MK code 4359874324"])
def test_register(client: Client, line: str) -> None:
    assert client.say(line).until("registration ok") == ["registration checking", "registration ok"]


def test_copyprotection(client: Client) -> None:
    said = client.say("copyprotection").until("copyprotection ok")
    assert said == ["copyprotection checking", "copyprotection ok"]


def test_a_log_of_everything(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a log  with spaces é.txt"
    client.say(f"setoption name Debug Log File value {path}", "isready", "go depth 2")
    client.until("bestmove")
    lines = path.read_text(encoding="utf-8").splitlines()
    said = [line.split(" ", 2)[2] for line in lines]
    assert said[:3] == ["> isready", "< readyok", "> go depth 2"]
    assert said[-1].startswith("< bestmove ")
    client.say("setoption name Debug Log File value <empty>", "isready").until("readyok")
    assert path.read_text(encoding="utf-8").splitlines()[:-1] == lines, "closed"
    client.say(f"setoption name Debug Log File value {tmp_path}")
    assert "cannot write" in client.until("info string")[-1]
    assert client.is_silent()


@pytest.mark.parametrize(
    ("name", "value"),
    [("SyzygyPath", "./syzygy/"), ("SyzygyPath", "/"), ("Book File", "no such book.bin")],
)
def test_files_that_are_not_there_get_one_line(client: Client, name: str, value: str) -> None:
    client.say(f"setoption name {name} value {value}")
    client.until("info string")
    assert client.is_silent()
    client.say(f"setoption name {name} value <empty>", "go depth 1").answer()


def test_options_of_bots(client: Client) -> None:
    """What lichess-bot sends by default; tables that are not there are no reason to stop."""
    given = {
        "Move Overhead": "100",
        "Threads": "4",
        "Hash": "512",
        "UCI_ShowWDL": "True",
    }
    client.say(*(f"setoption name {name} value {value}" for name, value in given.items()))
    assert client.is_silent()
    assert client.session.options.number("Move Overhead") == 100
    assert client.engine.sizes == [512]


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
