"""The engine in another program: opening, closing, and refused calls."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.variant
import pytest
from chess.engine import EngineError, EngineTerminatedError, Limit
from pythagoras import AsyncEngine, Engine

from engine.jit.kernel import COMPILED
from helpers.descriptors import descriptors_stay
from helpers.fake_managers import posix
from helpers.programs import program, wait_for_threads
from helpers.syzygy import FOLDER
from helpers.timing import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]

BOARD = chess.Board()
NODES = Limit(nodes=20_000)
VARIANTS = [found for found in chess.variant.VARIANTS if not issubclass(chess.Board, found)]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda found: found.uci_variant)
def test_other_rules_are_refused(variant: type[chess.Board], warm: Path) -> None:
    async def ask(board: chess.Board) -> None:
        async with await AsyncEngine.open() as engine:
            for call in calls(engine, board):
                with pytest.raises(EngineError, match=f"cannot play {variant.aliases[0]}"):
                    await call()

    with Engine() as engine:
        for call in calls(engine, variant()):
            with pytest.raises(EngineError, match=f"cannot play {variant.aliases[0]}"):
                call()
        assert engine.play(BOARD, NODES).move
    asyncio.run(ask(variant()))


def calls(engine: Any, board: chess.Board) -> list[Callable[[], Any]]:
    """Return a call of each method that takes a board."""
    return [
        lambda: engine.evaluate(board),
        lambda: engine.perft(board, 1),
        lambda: engine.prove(board, 1),
        lambda: engine.play(board, NODES),
        lambda: engine.analyse(board, NODES),
        lambda: engine.analyse(board, NODES, multipv=2),
        lambda: engine.analysis(board, NODES),
    ]


def all_calls(engine: Any) -> list[Callable[[], Any]]:
    """Return a call of each method except ``close``."""
    return [
        *calls(engine, BOARD),
        engine.ping,
        engine.quit,
        lambda: engine.configure({"Hash": 8}),
        lambda: engine.send_game_result(BOARD),
        lambda: engine.send_opponent_information(),
    ]


def test_a_closed_engine_answers_nothing(warm: Path) -> None:
    engine = Engine()
    analysis = engine.analysis(BOARD)
    engine.close()
    for call in (
        *all_calls(engine),
        engine.stop,
        lambda: engine.options,
        lambda: engine.id,
        analysis.stop,
        analysis.wait,
        analysis.next,
    ):
        with pytest.raises(EngineTerminatedError):
            call()
    engine.close()


@pytest.mark.parametrize("settled", [True, False])
def test_a_closed_engine_of_an_event_loop_answers_nothing(settled: bool, warm: Path) -> None:
    async def ask() -> None:
        engine = await AsyncEngine.open()
        engine.close()
        if settled:
            await engine.returncode
        for call in all_calls(engine):
            with pytest.raises(EngineTerminatedError):
                await asyncio.wait_for(call(), PATIENCE)
        engine.close()

    asyncio.run(ask())


def test_files_are_closed(warm: Path) -> None:
    board = chess.Board("8/8/8/3k4/8/8/8/KR6 w - - 0 1")
    Engine().close()  # opens what a process opens only once
    threads = threading.active_count()
    with descriptors_stay():
        with Engine() as engine:
            for _ in range(4):
                engine.configure({"SyzygyPath": FOLDER})
                assert engine.analyse(board, NODES)["tbhits"]
            engine.configure({"SyzygyPath": ""})
        wait_for_threads(threads)


@posix
@pytest.mark.parametrize("ready", [True, False])
def test_ctrl_c_while_it_opens_leaves_nothing(ready: bool, warm: Path) -> None:
    """Ctrl-C leaves no thread, while kernels are loaded or while the engine gives first answers."""
    code = f"""
import asyncio, threading, time
import pythagoras.async_engine
from pythagoras import Engine
loading, over = threading.Event(), threading.Event()
def load(notice, load=pythagoras.async_engine.load):
    loading.set()
    over.wait(60)
    return load(notice)
async def initialize(_):
    loading.set()
    await asyncio.sleep(60)
if {ready}:
    pythagoras.async_engine.AsyncEngine.initialize = initialize
else:
    pythagoras.async_engine.load = load
threading.Thread(target=lambda: loading.wait() and print("opening", flush=True)).start()
try:
    Engine()
except KeyboardInterrupt:
    over.set()
    end = time.monotonic() + {PATIENCE}
    while threading.active_count() > 1 and time.monotonic() < end:
        time.sleep(0.01)
    print([each.name for each in threading.enumerate()])
"""
    process = program(warm, code)
    assert process.stdout is not None
    assert process.stdout.readline() == "opening\n"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE + 5)
    assert (out, err, process.returncode) == ("['MainThread']\n", "", 0)


@posix
def test_ctrl_c_while_it_compiles_ends_the_program(warm: Path, tmp_path: Path) -> None:
    code = "from pythagoras import Engine\nprint('opening', flush=True)\nEngine()"
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    process = program(warm, code, environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "opening\n"
    time.sleep(1)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, err.splitlines()[-1]) == ("", "KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT
