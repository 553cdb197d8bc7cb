"""Real searches obey the limits of ``go``: nodes, times, mates and moves; and ``stop``."""

import time

import chess
import pytest

from engine.jit import kernel
from helpers.line_checks import check_analysis
from helpers.puppet_session import Client, search
from helpers.timing import timed
from uci.session.bench import POSITIONS

pytestmark = pytest.mark.skipif(not kernel.COMPILED, reason="needs compiled kernels")

MATES = {
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1": 1,
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": 2,
    "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1": 3,
}
UNDECIDED = "info string the search ended before it found or ruled out a mate in {}"


@pytest.fixture
def client(real_client: Client) -> Client:
    return real_client


@pytest.mark.parametrize("nodes", [1, 2, 100, 3001, 50_000])
def test_nodes_are_exact(client: Client, nodes: int) -> None:
    lines = search(client, chess.Board(), f"go nodes {nodes}")
    assert lines[-1].nodes == nodes


@timed("a real search uses its `movetime` to within 20 ms, less the overhead")
@pytest.mark.parametrize(("milliseconds", "overhead"), [(200, 50), (100, 0), (60, 40)])
def test_movetime_leaves_the_overhead(client: Client, milliseconds: int, overhead: int) -> None:
    client.say(f"setoption name Move Overhead value {overhead}")
    start = time.perf_counter()
    search(client, chess.Board(), f"go movetime {milliseconds}")
    spent = (time.perf_counter() - start) * 1000
    assert milliseconds - overhead - 20 < spent < milliseconds + (0 if overhead else 15)


@pytest.mark.parametrize(
    "clock", ["wtime 1 btime 1", "wtime 0 btime 0", "wtime -900 btime -3", "movetime 0", "winc 0"]
)
def test_no_time_at_all(client: Client, clock: str) -> None:
    for _ in range(3):
        search(client, chess.Board(POSITIONS[1]), f"go {clock} binc 0")
        search(client, chess.Board(POSITIONS[1]), f"go {clock} movestogo 1")


@pytest.mark.parametrize(("fen", "moves"), MATES.items())
def test_mates_are_found(client: Client, fen: str, moves: int) -> None:
    assert search(client, chess.Board(fen), f"go mate {moves}")[-1].mate == moves
    if moves > 1:
        client.say(f"position fen {fen}", f"go mate {moves - 1}")
        assert f"info string no mate in {moves - 1} moves" in client.until("bestmove", 60)


@pytest.mark.parametrize("time", ["wtime 200", "movetime 60", "wtime 500 movetime 60", "nodes 900"])
@pytest.mark.parametrize("searchmoves", ["", " searchmoves a1a2", " searchmoves a1a2 g1g2"])
def test_a_mate_that_time_did_not_rule_out(client: Client, time: str, searchmoves: str) -> None:
    client.say("position fen 6k1/8/8/8/8/8/8/R5K1 w - - 0 1", f"go mate 30 {time}{searchmoves}")
    said = client.until("bestmove", 20)
    assert said.count(UNDECIDED.format(30)) == 1
    assert not any("no mate" in line for line in said)


@pytest.mark.parametrize("time", ["wtime 40000", "movetime 30000", "nodes 9000000", "depth 5"])
@pytest.mark.parametrize("searchmoves", ["", " searchmoves a3a2"])
def test_a_forced_move_and_a_near_mate(client: Client, time: str, searchmoves: str) -> None:
    """A forced move is played after depth 1 on a clock; a near mate ends the search early."""
    board = chess.Board("8/4Q3/8/R7/8/K1k5/r7/8 w - - 0 1")
    assert search(client, board, f"go mate 3 {time}{searchmoves}")[-1].mate == 3
    which = " with the given root moves" if searchmoves else ""
    said = client.say(f"go mate 2 {time}{searchmoves}").until("bestmove", 30)
    assert f"info string no mate in 2 moves{which}" in said
    said = client.say(f"go mate 4 {time} depth 2{searchmoves}").until("bestmove", 30)
    assert UNDECIDED.format(4) in said


@pytest.mark.parametrize("start", ["go mate 30 wtime 400", "go ponder mate 30 wtime 400"])
def test_a_forced_move_and_a_distant_mate(client: Client, start: str) -> None:
    client.say("position fen 6k1/pp4pp/8/8/8/8/PP4q1/7K w - - 0 1", start)
    if "ponder" in start:
        client.until("info depth 1 ")
        client.say("ponderhit")
    said = client.until("bestmove", 20)
    assert UNDECIDED.format(30) in said
    assert not any("no mate" in line for line in said)


@pytest.mark.parametrize("option", ["MultiPV value 1", "MultiPV value 3", "Skill Level value 19"])
def test_a_search_that_sees_a_mate_and_is_stopped_at_once(client: Client, option: str) -> None:
    """Its only line is a lower bound: moves that were not searched may avoid the mate."""
    board = chess.Board("3r2k1/p4ppp/8/8/8/8/5PPP/R2B2K1 w - - 0 1")  # Rxa7 loses to Rxd1#
    client.say(f"setoption name {option}", f"position fen {board.fen()}", "go nodes 3")
    *_, last, move = client.until("bestmove", 60)
    assert " score mate -1 lowerbound " in last
    assert last.endswith(f" pv {move.split()[1]}")
    assert move.split()[1] != "a1a7"


def test_searchmoves_hold(client: Client) -> None:
    lines = search(client, chess.Board(), "go depth 6 searchmoves a2a3 h2h3")
    assert {heard.pv[0] for heard in lines} <= {"a2a3", "h2h3"}
    client.say("setoption name MultiPV value 4")
    lines = search(client, chess.Board(), "go depth 6 searchmoves a2a3 h2h3 b2b3")
    assert [heard.multipv for heard in lines] == [1, 2, 3] * 6


@timed("a real search answers `stop` within 0.1 s")
def test_stop_at_any_moment_gives_a_whole_line(client: Client) -> None:
    """No `cp 0` and no incomplete line comes from an unfinished iteration."""
    board = chess.Board(POSITIONS[1])
    for number in range(15):
        client.say("ucinewgame", f"position fen {board.fen()}", "go infinite")
        said = client.until("info depth 1 ")
        time.sleep(number / 1000)
        start = time.perf_counter()
        said += client.say("stop").until("bestmove")
        assert time.perf_counter() - start < 0.1
        last = check_analysis(board, said)[-1]
        assert last.depth >= 1
        assert last.bound != "upper"
        assert last.pv
