"""The UCI session: what is answered, when, and how often. The engine here is a puppet."""

import sys
import threading
import time
from io import BytesIO
from typing import Any

import chess
import pytest

from helpers.puppet_session import Client, check_quit
from helpers.timing import timed
from uci.protocol.reader import read_lines
from uci.protocol.writer import Writer
from uci.session.worker import Worker

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


# Introduction


def test_uci(client: Client) -> None:
    lines = client.say("uci").until("uciok")
    assert lines[0].startswith("id name Pythagoras ")
    assert lines[1].startswith("id author ")
    assert all(line.startswith("option name ") for line in lines[2:-1])


def test_ready(client: Client) -> None:
    assert client.say("isready").until("readyok") == ["readyok"]


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


# A search


def test_go_depth(client: Client) -> None:
    lines = client.say("go depth 5").answer()
    assert len(lines) == 6
    assert lines[-2].startswith("info depth 5 seldepth 5 multipv 1 score cp 5 nodes 50 nps ")


def test_the_last_exact_line_stands_before_the_move(client: Client) -> None:
    client.engine.bounds = ("lower", "upper")
    lines = client.say("go depth 3").answer()
    assert sum("upperbound" in line for line in lines) == 3
    assert "bound" not in lines[-2]


@pytest.mark.parametrize("progress", [False, True])
def test_a_move_that_failed_high_is_the_last_line_and_played(
    client: Client, progress: bool
) -> None:
    client.engine.bounds, client.engine.progress = ("upper", "lower"), progress
    lines = client.say("setoption name UCI_ShowWDL value true", "go depth 3").answer()
    assert " lowerbound wdl " in lines[-2]
    assert sum("lowerbound" in line for line in lines) == 3 + progress
    best = [line for line in lines if " pv " in line and "bound" not in line][-1]
    assert best.split(" pv ")[1] != lines[-1].split()[1]


def test_limits_reach_the_engine(client: Client) -> None:
    client.say("go nodes 7 depth 3 wtime 60000").until("bestmove")
    ((limits, soft),) = client.engine.asked
    assert (limits.nodes, limits.depth) == (7, 3)
    assert soft is not None
    assert 50 < soft < 1000, "a share of a minute, less what the machine delays"


def test_infinite_waits_for_stop(client: Client) -> None:
    client.say("go infinite depth 3").until("info depth 3")
    assert client.is_silent()
    client.say("stop").answer()


def test_stop_is_answered_once(client: Client) -> None:
    client.say("go infinite").until("info depth 5")
    client.say("stop", "stop").answer()
    assert client.say("stop").is_silent(), "a stray stop is ignored"


@pytest.mark.parametrize("go", ["go infinite", "go depth 50", "go movetime 5000", "go wtime 90000"])
def test_stopped_at_once_there_is_an_answer(client: Client, go: str) -> None:
    client.say(go, "stop").answer()


@pytest.mark.parametrize("go", ["go movetime 1", "go movetime 60", "go wtime 1000"])
def test_an_engine_that_finds_nothing_in_time(client: Client, go: str) -> None:
    client.engine.mute = True
    client.say(go).answer()


def test_an_engine_that_breaks(client: Client) -> None:
    client.engine.broken = True
    assert "the puppet is broken" in client.say("go depth 3").answer()[0]


@timed("an iteration that would go on ends at the hard limit, not earlier, and within 0.1 s")
def test_the_hard_limit_ends_an_iteration(client: Client) -> None:
    client.say("setoption name Move Overhead value 0")
    client.engine.mute = True
    start = time.perf_counter()
    client.say("go wtime 2050 movestogo 20").until("bestmove")
    assert 0.39 < time.perf_counter() - start < 0.5, "four times the share of 100 ms"


@timed("`isready` is answered within 0.1 s of a search")
def test_ready_during_a_search(client: Client) -> None:
    client.say("go infinite").until("info depth 2")
    start = time.perf_counter()
    client.say("isready").until("readyok")
    assert time.perf_counter() - start < 0.1
    client.say("stop").answer()


def test_go_during_a_search_ends_it_first(client: Client) -> None:
    client.say("go infinite").until("info depth 2")
    client.say("position startpos moves e2e4", "go depth 2")
    client.answer()
    client.answer(chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"))
    assert client.is_silent()
    assert [len(game.moves) for game in client.engine.games] == [0, 1]


def test_many_searches_in_a_row(client: Client) -> None:
    for _ in range(20):
        client.say("go infinite")
    client.say("stop")
    for _ in range(20):
        client.answer()
    assert client.is_silent()


def test_a_search_without_a_thread_blocks_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(worker: Worker, before: Worker | None) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "start", start)
        told, *_, move = client.say("go depth 1").until("bestmove")
        assert told == "info string could not start a search thread; command aborted"
        assert move != "bestmove (none)"
    assert not client.session.busy()
    client.say("go depth 1").answer()


# Checkmate, stalemate, draws


@pytest.mark.parametrize(("fen", "score"), [(MATED, "mate 0"), (STALEMATE, "cp 0")])
def test_no_moves(client: Client, fen: str, score: str) -> None:
    lines = client.say(f"position fen {fen}", "go depth 5").until("bestmove")
    assert lines[0].startswith(f"info depth 0 seldepth 0 multipv 1 score {score} ")
    assert lines[1:] == ["bestmove (none)"]
    for go in ("go", "go movestogo 5"):
        assert client.say(go).until("bestmove")[1:] == ["bestmove (none)"]
    for go, due in (
        ("go infinite", "stop"),
        ("go ponder", "stop"),
        ("go ponder", "ponderhit"),
        ("go ponder wtime 1000", "ponderhit"),
    ):
        client.say(go).until("info depth 0")
        assert client.goes_on(), go
        assert client.say(due).until("bestmove") == ["bestmove (none)"]
    client.say("go ponder infinite", "ponderhit").until("info depth 0")
    assert client.goes_on()
    assert client.say("stop").until("bestmove") == ["bestmove (none)"]


def test_draws_are_played_on(client: Client) -> None:
    shuffle = " g1f3 g8f6 f3g1 f6g8" * 3
    client.say("position startpos moves" + shuffle, "go depth 2").answer()
    kings = "8/8/4k3/8/8/4K3/8/8 w - - 120 150"
    client.say(f"position fen {kings}", "go depth 2").answer(chess.Board(kings))


# Bad input


REJECTED_POSITIONS = [
    b"position fen 8/8/8/8/8/8/8/8/8 w - - 0 1\n",
    b"position startpos moves e2e4 e2e4\n",
    b"position startpos moves e2e4\0\n",
    b"position startpos moves \xff\n",
    b"position startpos moves" + b" e2e4" * 20_000 + b"\n",
    b"joho position\n",
]


@pytest.mark.parametrize(
    "raw",
    [
        *REJECTED_POSITIONS,
        b"setoption name Nonsense value 1\n",
        b"go perft x\n",
        b"joho\n",
        b"x" * 100_000 + b"\n",
    ],
)
def test_bad_input_is_one_line_and_nothing_else(client: Client, raw: bytes) -> None:
    client.say("position startpos moves d2d4", "setoption name Hash value 32")
    assert client.session.handle(raw)
    (line,) = client.until("info string")
    assert len(line) < 250
    assert client.is_silent()
    client.say("d").until("Fen: rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1")
    assert client.engine.sizes == [32]


@pytest.mark.parametrize("raw", REJECTED_POSITIONS)
def test_after_a_rejected_position_nothing_is_searched(client: Client, raw: bytes) -> None:
    """After an invalid position, `go` does not search the previous one."""
    client.say("position startpos moves d2d4")
    assert client.session.handle(raw)
    (reason,) = client.until("info string")
    for go in ("go depth 1", "go", "go nodes 5 searchmoves e2e4"):
        told, move = client.say(go).until("bestmove")
        assert told.startswith("info string the last position was rejected")
        assert told.endswith(reason.removeprefix("info string "))
        assert move == "bestmove (none)"
    for task in ("eval", "perft 1", "go perft 1"):
        (told,) = client.say(task).until("info string")
        assert "the last position was rejected" in told
    client.say("ucinewgame", "isready").until("readyok")
    assert client.say("go depth 1").until("bestmove")[-1] == "bestmove (none)"
    assert client.say("bench 1").until("100 nodes")
    assert client.is_silent()
    assert not client.engine.games
    client.say("position startpos moves d2d4 d7d5", "go depth 1").until("info depth 1")
    assert client.engine.games[-1].moves == ("d2d4", "d7d5")


@pytest.mark.parametrize(
    ("position", "go", "asked"),
    [
        ("fen nonsense", "go infinite", ["stop"]),
        ("fen nonsense", "go ponder wtime 1000", ["stop"]),
        ("fen nonsense", "go ponder", ["ponderhit"]),
        ("fen nonsense", "go ponder infinite", ["ponderhit", "stop"]),
        ("startpos", "go depth x infinite", ["stop"]),
        ("startpos", "go ponder searchmoves e2e5", ["ponderhit"]),
    ],
)
@pytest.mark.parametrize("stopped", [False, True])
def test_without_a_search_the_move_comes_when_it_is_due(
    client: Client, position: str, go: str, asked: list[str], stopped: bool
) -> None:
    """Without a search the move comes at once, but after `stop` or `ponderhit` if these are due."""
    if stopped:
        client.engine.mute = True
        client.say("go infinite", "stop")
    client.say(f"position {position}", go)
    if stopped:
        assert client.until("bestmove")[-1] != "bestmove (none)"
    for line in asked:
        assert client.goes_on()
        assert "bestmove (none)" not in client.wire.lines
        client.say(line)
    assert client.until("bestmove")[-1] == "bestmove (none)"
    assert client.is_silent()
    assert not client.session.busy()


def test_a_rejected_go_behind_a_stopped_search(client: Client) -> None:
    """A stopped search and a rejected `go` each give their move, in this order."""
    client.say("position startpos moves e2e4", "go infinite").until("info depth 2")
    client.say("stop", "go depth x")
    assert client.until("bestmove")[-1] != "bestmove (none)"
    assert client.until("bestmove")[-1] == "bestmove (none)"
    client.say("go infinite", "position fen nonsense", "go infinite", "go depth 1")
    assert client.until("bestmove")[-1] != "bestmove (none)"
    for _ in range(2):
        assert client.until("bestmove")[-1] == "bestmove (none)"
    assert client.is_silent()


@pytest.mark.parametrize(
    "raw",
    [
        b"go depth x\n",
        b"go depth -1\n",
        b"go mate 0\n",
        b"go wtime 1000 btime\n",
        b"go searchmoves e2e5\n",
        b"joho go mate\n",
        b"\xef\xbb\xbfgo depth\n",
        b"go depth 3 \xff\n",
        b"go depth 3\0 \n",
        b"go" + b" depth" * 20_000 + b"\n",
    ],
)
def test_a_wrong_go_gets_its_bestmove(client: Client, raw: bytes) -> None:
    """An invalid `go` gets its bestmove; during a search, that search's is the only one."""
    assert client.session.handle(raw)
    told, move = client.until("bestmove")
    assert told.startswith("info string ")
    assert move == "bestmove (none)"
    assert client.is_silent()
    client.say("go infinite").until("info depth")
    assert client.session.handle(raw)
    client.until("info string")
    assert client.goes_on()
    assert client.say("stop").until("bestmove")[-1] != "bestmove (none)"
    assert client.is_silent()


def test_a_wrong_go_behind_a_task_gets_its_bestmove(client: Client) -> None:
    """An invalid `go` gets its own bestmove during a task, which writes none itself."""
    client.say("bench 20", "go depth x")
    assert client.until("bestmove")[-1] == "bestmove (none)"
    client.say("stop", "go depth 2").until("bestmove")
    assert client.is_silent()


def test_what_is_ignored_or_assumed_of_a_fen_is_said_once(client: Client) -> None:
    fen = f"{chess.STARTING_BOARD_FEN}/ w qkQK - - - bm e4;"
    client.say(f"position fen {fen}", "isready")
    told, _ = client.until("readyok")
    assert told == (
        "info string FEN: ignored / after the board, bm e4; assumed halfmove clock 0, move number 1"
    )
    client.say("go depth 1").answer()
    client.say(f"position fen {fen} moves e2e4", "isready")
    assert client.until("readyok") == ["readyok"]
    client.say(f"position fen {chess.STARTING_FEN}", "isready")
    assert client.until("readyok") == ["readyok"]


def test_lines_are_cut_out_of_any_stream() -> None:
    long = b"y" * 1_000_000
    assert list(read_lines(BytesIO(b"uci\r\n\nisready"))) == [b"uci\r\n", b"\n", b"isready"]
    first, second, third = read_lines(BytesIO(b"a\n" + long + b"\nb\n"))
    assert (first, third) == (b"a\n", b"b\n")
    assert 96 * 1024 < len(second) < 100_000


# Other commands


def test_show(client: Client) -> None:
    lines = client.say("position startpos moves e2e4", "d").until("Key")
    assert lines[-2].startswith("Fen: rnbqkbnr/pppppppp/8/8/4P3/")
    assert lines[-1] == "Key: 0000000000000ABC"


def test_eval_perft_bench_help(client: Client) -> None:
    *_, corrected, static = client.say("eval").until("info string evaluation")
    assert corrected == (
        "info string corrected evaluation 12 cp, wdl 65 899 36 for the side to move"
    )
    assert static == "info string evaluation 17 cp for the side to move"
    lines = client.say("perft 3").until("100")
    assert len(lines) == 2
    lines = client.say("perft 3 divide").until("100")
    assert "e2e4: 5" in lines
    assert len(lines) == 22
    assert client.say("perft 0").until("1")[-1] == "1"
    assert client.say("bench 3").until("100 nodes")[-1] == "100 nodes 50 nps"
    assert client.say("help").until("quit")


def test_chess960_castling(client: Client) -> None:
    fen = "k7/8/8/8/8/8/8/4K2R w K - 0 1"
    notations = {}
    for flag in ("false", "true"):
        client.say(f"setoption name UCI_Chess960 value {flag}", f"position fen {fen}")
        notations[flag] = client.say("perft 1 divide").until("75")
    assert "e1g1: 5" in notations["false"]
    assert "e1h1: 5" in notations["true"]


def test_castling_that_standard_chess_does_not_have(client: Client) -> None:
    """Castling is read by the value of `UCI_Chess960` when the position arrives."""
    position = "position fen 8/8/8/4k3/8/8/8/2K4R w K - 0 1"
    for chess960 in ("false", "true", "false"):
        client.say(f"setoption name UCI_Chess960 value {chess960}", position)
        told = client.say("isready").until("readyok")[:-1]
        assert any("castling K (UCI_Chess960 is false)" in line for line in told) == (
            chess960 == "false"
        )
        for later in ("true", "false"):
            client.say(f"setoption name UCI_Chess960 value {later}", "perft 1 divide")
            assert ("c1h1: 5" in client.until("info string")) == (chess960 == "true")
            client.say("go depth 1 searchmoves c1h1")
            assert ("bestmove (none)" in client.until("bestmove")) == (chess960 == "false")


def test_bench_can_be_stopped(client: Client) -> None:
    client.say("bench").until("position 3")
    client.say("stop")
    client.session.join()
    assert not client.session.completed()
    assert not any("nps" in line for line in client.wire.lines)
    assert "info string bench stopped before all positions were searched" in client.wire.lines


@pytest.mark.slow
def test_a_long_queue_can_be_stopped(client: Client) -> None:
    client.say(*["bench 100000"] * (sys.getrecursionlimit() + 50), "stop")
    assert client.session.worker
    client.session.worker.join(20)
    assert not client.session.busy()
    assert not any("100 nodes" in line or "error" in line for line in client.wire.lines)


def test_tasks_take_turns(client: Client) -> None:
    client.say("bench 20", "eval", "go depth 2")
    lines = client.until("bestmove")
    bench, evaluation, move = (
        next(place for place, line in enumerate(lines) if line.startswith(start))
        for start in ("100 ", "info string evaluation", "bestmove")
    )
    assert bench == 20 < evaluation < move


# The end


def test_end_of_input_finishes_what_is_bounded(client: Client) -> None:
    client.engine.depth_time = 0.02
    client.run(b"uci\nisready\ngo depth 10\n")
    assert len(client.until("bestmove")) > 10
    client.run(b"go infinite\n")
    client.answer()
    client.run(b"perft 2")
    assert client.until("100")
    client.run(b"position fen nonsense\ngo infinite\n")
    assert client.until("bestmove")[-1] == "bestmove (none)"


def test_quit(client: Client) -> None:
    check_quit(client)


def test_quit_awaits_the_answer_of_a_busy_machine(client: Client) -> None:
    client.engine.stop_time = 0.2
    client.run(b"go infinite\nquit\n")
    assert client.wire.lines[-1].startswith("bestmove ")


def test_a_closed_pipe_is_noticed() -> None:
    class Broken(BytesIO):
        def write(self, data: Any) -> int:
            raise BrokenPipeError

    gone = threading.Event()
    Writer(Broken(), gone.set).lines("hello")
    assert gone.is_set()
