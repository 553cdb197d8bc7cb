"""The engine in another program: several at once, interrupted, left open, with other code."""

import asyncio
import os
import signal
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path

import chess
import pytest
from chess.engine import Cp, EngineError, EngineTerminatedError, Limit, Mate, SimpleEngine
from pythagoras import AsyncEngine, Engine

from engine.jit.kernel import COMPILED
from helpers.fake_managers import posix
from helpers.mates import IN_TWO
from helpers.programs import program, wait_for_threads
from helpers.timing import FOREVER, PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]

BOARD = chess.Board()
NODES = Limit(nodes=20_000)


def test_what_simple_engine_lacks(warm: Path) -> None:
    with Engine() as engine:
        assert isinstance(engine, SimpleEngine)
        assert engine.perft(BOARD, 4) == 197_281
        assert engine.perft(BOARD, 4, threads=2) == 197_281
        assert engine.perft(BOARD, 0) == 1
        score = engine.evaluate(chess.Board("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1"))
        assert score.pov(chess.WHITE) > Cp(300)
        assert score.turn == chess.BLACK
        proof = engine.prove(chess.Board(IN_TWO), 2)
        assert proof is not None
        assert (proof.check().fen, proof.check().moves) == (IN_TWO, 2)
        assert engine.prove(chess.Board(IN_TWO), 1) is None
        with pytest.raises(EngineError, match="mate in 0: expected 1 to 63"):
            engine.prove(BOARD, 0)
        for call in (
            engine.evaluate,
            lambda board: engine.perft(board, 2),
            lambda board: engine.prove(board, 2),
        ):
            with pytest.raises(EngineError, match="no white king"):
                call(chess.Board("4k3/8/8/8/8/8/8/8 w - - 0 1"))
        assert "Pythagoras" in repr(engine)


def test_a_threat_is_an_analysis_after_a_null_move(warm: Path) -> None:
    board = chess.Board("rnbqkbnr/ppppp1pp/8/5p2/4P3/2N5/PPPP1PPP/R1BQKBNR b KQkq - 0 2")
    board.push_san("g5")
    with Engine() as engine:
        board.push_san("d4")
        board.push(chess.Move.null())
        threat = engine.analyse(board, Limit(depth=4))
        assert threat["score"].white() == Mate(1)
        assert board.variation_san(threat["pv"]) == "4. Qh5#"
        board.push_san("a3")  # the null move is not the last of the history
        assert engine.analyse(board, Limit(depth=4))["score"].turn == chess.BLACK
        in_check = chess.Board("4k3/8/8/8/8/8/8/K3R3 b - - 0 1")
        in_check.push(chess.Move.null())
        with pytest.raises(EngineError, match="can capture the king"):
            engine.analyse(in_check, Limit(depth=4))


@pytest.mark.parametrize("call", ["play", "analyse", "analysis"])
def test_what_cannot_be_played_is_told(call: str, warm: Path) -> None:
    """An unplayable position is an error: no other is searched, and other callers continue."""
    absurd = chess.Board("r5k1/5ppp/8/8/8/8/5PPP/R5KP w - - 0 1")
    impossible = chess.Board()
    impossible.push(chess.Move.from_uci("e2e5"))
    with Engine() as engine:
        for board, moves, told in (
            (absurd, None, "a pawn on the first"),
            (chess.Board(None), None, "no white king"),
            (impossible, None, "illegal move: e2e5"),
            (BOARD, [], "root_moves is empty"),
            (BOARD, [chess.Move.from_uci("e2e5")], "illegal move: e2e5"),
        ):
            with pytest.raises(EngineError, match=told):
                getattr(engine, call)(board, NODES, root_moves=moves)
        only = [chess.Move.from_uci("a2a3")]
        assert engine.play(BOARD, NODES, root_moves=iter(only)).move == only[0]
        with pytest.raises(EngineError, match="perft: invalid depth"):
            engine.perft(BOARD, 2, threads=0)
        with pytest.raises(TypeError):
            engine.perft(BOARD, 1.5)  # type: ignore[arg-type]
        with pytest.raises(EngineError, match="invalid depth 129"):
            engine.perft(BOARD, 129)
        with pytest.raises(EngineError, match="perft: invalid depth"):
            engine.perft(BOARD, -1)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("EvalFile", "could not load network .*No such file"),
        ("Book File", "No such file"),
        ("SyzygyPath", "no Syzygy tables in"),
        ("Debug Log File", "cannot write"),
    ],
)
def test_a_file_that_is_not_there_is_told(name: str, told: str, warm: Path) -> None:
    with pytest.raises(EngineError, match=f"(?i){told}"):
        Engine({name: "/no/such/file"})


def test_memory_that_is_not_there_is_told(warm: Path) -> None:
    with Engine({"Hash": 8}) as engine:
        with pytest.raises(EngineError, match="not enough memory for Hash=33554432 MiB"):
            engine.configure({"Hash": 33554432})
        assert engine.play(BOARD, NODES).move


def test_evaluate_and_perft_do_not_wait_for_a_search(warm: Path) -> None:
    with Engine() as engine, engine.analysis(BOARD) as analysis:
        assert engine.perft(BOARD, 3) == 8_902
        assert engine.evaluate(BOARD).relative.score() is not None
        assert analysis.next() is not None


def test_a_draw_by_rule_is_certain(warm: Path) -> None:
    dead, last_ply = (
        chess.Board("8/8/4k3/8/8/4K3/8/8 w - - 0 1"),
        "k7/8/8/4K3/3Q4/8/8/8 w - - 99 80",
    )
    with Engine() as engine:
        for board in (dead, chess.Board(last_ply)):
            info = engine.analyse(board, NODES)
            assert info["score"].relative == chess.engine.Cp(0)
            assert info["wdl"].relative == chess.engine.Wdl(0, 1000, 0)


def test_options_at_the_start(warm: Path) -> None:
    with Engine({"Hash": 2, "UCI_ShowWDL": False}) as engine:
        assert "wdl" not in engine.analyse(BOARD, NODES)
    with pytest.raises(EngineError, match="Tarrasch"):
        Engine({"Tarrasch": 1})


def test_several_engines_and_threads_do_not_disturb_each_other(warm: Path) -> None:
    boards = [chess.Board(), chess.Board("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1")]
    with Engine() as alone:
        expected = [alone.analyse(board, NODES, game=object())["pv"] for board in boards]
    with Engine() as first, Engine() as second, ThreadPoolExecutor(4) as pool:
        engines = [first, second]
        for _ in range(3):
            found = [
                pool.submit(engine.analyse, board, NODES, game=object())
                for engine, board in zip(engines, boards, strict=True)
            ]
            assert [each.result()["pv"] for each in found] == expected


def test_a_new_command_replaces_the_search_of_another_thread(warm: Path) -> None:
    with Engine() as engine:
        analysis = engine.analysis(BOARD)
        assert analysis.next() is not None
        assert engine.play(BOARD, Limit(depth=1)).move in BOARD.legal_moves
        assert analysis.wait().move in BOARD.legal_moves


def test_closed_in_a_search_whoever_waits_hears_of_it(warm: Path) -> None:
    engine = Engine()
    threading.Timer(0.3, engine.close).start()
    with pytest.raises(EngineTerminatedError):
        engine.analyse(BOARD, Limit())


def test_many_threads_replace_each_others_searches(warm: Path) -> None:
    def look(number: int) -> str:
        try:
            return str(engine.analyse(BOARD, Limit(time=0.2))["pv"][0])
        except CancelledError:
            return "replaced"

    with Engine() as engine, ThreadPoolExecutor(6) as pool:
        for _ in range(3):
            found = list(pool.map(look, range(6)))
            assert found != ["replaced"] * 6
        assert engine.play(BOARD, Limit(nodes=1000)).move in BOARD.legal_moves


def test_closed_in_a_count_whoever_waits_hears_of_it(warm: Path) -> None:
    engine = Engine()
    threading.Timer(0.3, engine.close).start()
    with pytest.raises(EngineTerminatedError, match="closed"):
        engine.perft(chess.Board(), 12, threads=2)
    with pytest.raises(EngineTerminatedError):
        engine.perft(chess.Board(), 2)


def test_a_count_of_another_thread_does_not_outlive_the_program(warm: Path) -> None:
    code = """
import threading, time, chess
from pythagoras import Engine
engine = Engine()
threading.Thread(target=lambda: engine.perft(chess.Board(), 12, threads=2), daemon=True).start()
time.sleep(0.3)
"""
    with program(warm, code) as process:
        process.communicate(timeout=FOREVER)
    assert process.returncode == 0


def test_it_leaves_no_thread(warm: Path) -> None:
    before = threading.active_count()
    for _ in range(3):
        with Engine() as engine:
            engine.play(BOARD, Limit(depth=2))
    wait_for_threads(before)


@posix
@pytest.mark.parametrize(
    "call",
    [
        "engine.analyse(board, Limit())",
        "engine.play(board, Limit())",
        "engine.analysis(board).wait()",
        "list(engine.analysis(board))",
        "engine.perft(board, 9)",
        "engine.prove(board, 9)",
    ],
)
def test_ctrl_c_stops_a_search_and_the_next_can_begin(call: str, warm: Path) -> None:
    code = f"""
import chess
from chess.engine import Limit
from pythagoras import Engine
board, engine = chess.Board(), Engine()
print("searching", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print(engine.play(board, Limit(depth=3)).move in board.legal_moves, flush=True)
engine.close()
"""
    process = program(warm, code)
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, err, process.returncode) == ("True\n", "", 0)


@pytest.mark.parametrize(
    "last", ["", "analysis = engine.analysis(chess.Board())", "raise SystemExit(3)"]
)
def test_left_open_it_ends_with_the_interpreter(last: str, warm: Path) -> None:
    code = "import chess\nfrom pythagoras import Engine\nengine = Engine()\nprint('open')\n" + last
    process = program(warm, code)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("open\n", "", 3 if "3" in last else 0)


def test_with_an_event_loop(warm: Path) -> None:
    async def work() -> list[object]:
        async with await AsyncEngine.open({"Hash": 4}) as engine:
            info = await engine.analyse(BOARD, NODES)
            counted = await engine.perft(BOARD, 3)
            score = await engine.evaluate(BOARD)
            with await engine.analysis(BOARD) as analysis:
                async for each in analysis:
                    if each.get("depth", 0) > 3:
                        break
            best = await analysis.wait()
            waiting = asyncio.create_task(engine.play(BOARD, Limit()))
            await asyncio.sleep(0.1)
            waiting.cancel()
            await engine.ping()
            return [info["pv"], counted, score, best.move, waiting.cancelled()]

    pv, counted, score, best, cancelled = asyncio.run(work())
    with Engine({"Hash": 4}) as engine:
        assert pv == engine.analyse(BOARD, NODES)["pv"]
        assert score == engine.evaluate(BOARD)
    assert counted == 8_902
    assert best in BOARD.legal_moves
    assert cancelled


def test_inside_an_event_loop_that_runs(warm: Path) -> None:
    async def cell() -> object:
        with Engine() as engine:
            return engine.play(BOARD, Limit(depth=2)).move

    assert asyncio.run(cell()) in BOARD.legal_moves


def test_beside_the_users_own_numba(warm: Path) -> None:
    code = """
import numba, threading
@numba.njit(parallel=True)
def total(n):
    s = 0
    for i in numba.prange(n):
        s += i
    return s
import chess
from chess.engine import Limit
from pythagoras import Engine
settings = {k: repr(v) for k, v in vars(numba.config).items() if k.isupper()}
sums = []
thread = threading.Thread(target=lambda: sums.append(total(10**6)))
with Engine() as engine:
    thread.start()
    engine.analyse(chess.Board(), Limit(nodes=20000))
    thread.join()
    print(total(10**6) == sums[0] == 499999500000)
print(settings == {k: repr(v) for k, v in vars(numba.config).items() if k.isupper()})
"""
    out, err = program(warm, code).communicate(timeout=120)
    assert (out, err) == ("True\nTrue\n", "")
