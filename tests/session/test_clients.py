"""The engine as real clients drive it: python-chess, as graphical programs and bots do."""

import contextlib
import random
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine
import pytest

from helpers.client import ENVIRONMENT, PYTHAGORAS, Process
from helpers.timing import PATIENCE
from scripts.measure.uci_client import EngineTerminated

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"


@pytest.fixture(scope="module")
def engine(warm: Path) -> Iterator[chess.engine.SimpleEngine]:
    command = {"cwd": str(warm), "env": ENVIRONMENT}
    with chess.engine.SimpleEngine.popen_uci(PYTHAGORAS, timeout=15, **command) as engine:
        yield engine


@pytest.mark.slow
def test_options(engine: chess.engine.SimpleEngine) -> None:
    options = engine.options
    for name in ("Hash", "Threads", "MultiPV", "Ponder", "UCI_Chess960", "UCI_EngineAbout"):
        assert name in options
    for option in options.values():
        if option.type == "spin":
            assert option.min <= option.default <= option.max
    with pytest.raises(chess.engine.EngineError):
        engine.configure({"Hash": 0})


@pytest.mark.slow
def test_analysis(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(KIWIPETE)
    depths = []
    with engine.analysis(board) as analysis:
        for info in analysis:
            if "depth" in info and "pv" in info:
                depths.append(info["depth"])
                assert info["seldepth"] >= info["depth"]
                assert {"score", "nodes", "nps", "time", "hashfull", "tbhits"} <= info.keys()
            if depths[-1:] == [7]:
                break
        analysis.stop()
        best = analysis.wait()
    assert depths[:7] == list(range(1, 8))
    assert best.move in board.legal_moves
    move, *replies = analysis.info["pv"]  # a move that failed high has no reply yet
    assert (best.move, best.ponder) == (move, next(iter(replies), None))


def test_several_lines(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(KIWIPETE)
    infos = engine.analyse(board, chess.engine.Limit(depth=7), multipv=5)
    assert len({info["pv"][0] for info in infos}) == 5
    assert [info["multipv"] for info in infos] == [1, 2, 3, 4, 5]
    scores = [info["score"].relative for info in infos]
    assert scores == sorted(scores, reverse=True)
    three = [chess.Move.from_uci(text) for text in ("a2a3", "e1g1", "d5e6")]
    infos = engine.analyse(board, chess.engine.Limit(depth=6), multipv=9, root_moves=three)
    assert {info["pv"][0] for info in infos} == set(three)


def test_a_mate(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATE_IN_TWO)
    info = engine.analyse(board, chess.engine.Limit(mate=2))
    assert info["score"].relative == chess.engine.Mate(2)
    for move in info["pv"]:
        board.push(move)
    assert board.is_checkmate()


def test_chances(engine: chess.engine.SimpleEngine) -> None:
    limit = chess.engine.Limit(depth=6)
    info = engine.analyse(chess.Board(KIWIPETE), limit, options={"UCI_ShowWDL": True})
    chances = info["wdl"].relative
    assert chances.total() == 1000
    assert "wdl" not in engine.analyse(chess.Board(), limit)


@pytest.mark.slow
def test_chess960(engine: chess.engine.SimpleEngine) -> None:
    dice, castled = random.Random(5), 0
    for number in (0, 100, 250, 356, 518, 692, 800, 959):
        board = chess.Board.from_chess960_pos(number)
        while board.ply() < 30 and not board.is_game_over():
            if board.ply() % 2:
                board.push(dice.choice(list(board.legal_moves)))
                continue
            limit = chess.engine.Limit(nodes=1500)
            played = engine.play(board, limit, game=number, info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves
            assert played.info["pv"][0] == played.move
            castlings = list(board.generate_castling_moves())
            if castlings:
                castled += 1
                found = engine.analyse(
                    board, chess.engine.Limit(depth=2), game=number, root_moves=castlings[:1]
                )
                assert found["pv"][0] == castlings[0]
            board.push(played.move)
    assert castled >= 3


@pytest.mark.slow
def test_a_bot_with_its_defaults(warm: Path) -> None:
    """lichess-bot's default options, and games with pondering."""
    given = {
        "Move Overhead": 100,
        "Threads": 4,
        "Hash": 512,
        "SyzygyPath": "./syzygy/",
        "UCI_ShowWDL": True,
    }
    dice = random.Random(1)
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci(
        PYTHAGORAS, timeout=15, cwd=str(warm), env=ENVIRONMENT
    ) as engine:
        engine.configure(given)
        clock, hits = 5.0, 0
        for _ in range(20):
            if board.is_game_over():  # some opponents are quickly mated
                board = chess.Board()
            limit = chess.engine.Limit(white_clock=clock, black_clock=clock)
            played = engine.play(board, limit, ponder=True, info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves
            assert played.info["pv"][0] == played.move
            assert played.info["wdl"].relative.total() == 1000
            board.push(played.move)
            clock *= 0.97
            if board.is_game_over():
                continue
            if played.ponder and dice.random() < 0.6:
                assert played.ponder == played.info["pv"][1]
                board.push(played.ponder)
                hits += 1
            else:
                board.push(dice.choice(list(board.legal_moves)))
    assert hits > 3


@pytest.mark.slow
@pytest.mark.parametrize("busy", [True, False])
def test_a_client_that_dies(warm: Path, processes: list[Process], busy: bool) -> None:
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    assert process.popen.stdout
    process.popen.stdout.close()
    process.popen.stdout = None
    process.say("go infinite" if busy else "isready")
    assert process.popen.wait(PATIENCE) == 0


@pytest.mark.slow
def test_nothing_is_left_behind(warm: Path, processes: list[Process], tmp_path: Path) -> None:
    """Without a usable cache, no file is left, however the process ends."""
    (tmp_path / "cache").write_text("a file where a folder should be")
    (tmp_path / "tmp").mkdir()
    settings = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "tmp")}
    for way in ("quit", "a closed pipe"):
        process = Process(warm, **settings).say("uci", "isready")
        processes.append(process)
        process.until("info string compiling")
        time.sleep(1)
        if way == "quit":
            process.say("quit")
        else:
            assert process.popen.stdout
            process.popen.stdout.close()
            process.popen.stdout = None
            with contextlib.suppress(EngineTerminated):  # it may report compiling before
                process.say("uci")
        process.popen.wait(PATIENCE)
        assert not any((tmp_path / "tmp").iterdir()), way
