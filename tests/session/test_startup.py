"""Before the kernels are loaded: the commands that wait, and those answered at once."""

import gc
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count

import pytest

from helpers.line_checks import read_info
from helpers.puppet_session import FOOLS_MATE, Client, Gate, Puppet, check_quit, loading_client
from helpers.timing import FOREVER, Clock, timed
from uci.cli import main
from uci.session.backend import Backend, Notice
from uci.session.loader import Loader


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate(Puppet())
    yield gate
    gate.open.set()


def test_silent_before_it_is_asked(gate: Gate) -> None:
    client = loading_client(gate)
    assert client.is_silent()
    client.say("isready", "position startpos", "setoption name Hash value 32")
    assert client.is_silent()
    lines = client.say("uci").until("info string compiling")
    assert lines.index("uciok") == len(lines) - 2
    client.say("uci").until("uciok")
    assert client.is_silent(), "it is said once"


def test_ready_when_the_kernels_are(gate: Gate) -> None:
    client = loading_client(gate).say("isready", "isready", "position startpos moves e2e4")
    assert client.is_silent()
    gate.open.set()
    assert client.until("readyok") + client.until("readyok") == ["readyok", "readyok"]


def test_ready_before_clients_give_up(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uci.session.session.READY_AFTER", 0.1)
    client = loading_client(gate).say("isready")
    client.until("readyok")
    gate.open.set()
    assert client.is_silent(), "one answer for one question"


def test_options_given_early_hold(gate: Gate) -> None:
    client = loading_client(gate).say("setoption name Hash value 32", "ucinewgame", "isready")
    gate.open.set()
    client.until("readyok")
    assert (client.engine.sizes, client.engine.cleared) == ([32], 0), (
        "fresh memory needs no clearing"
    )
    client.say("go depth 1").until("bestmove")
    client.session.join()
    client.say("ucinewgame")
    assert client.engine.cleared == 1
    client.say("ucinewgame")
    assert client.engine.cleared == 1


def test_end_of_input_while_compiling(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uci.session.session.READY_AFTER", FOREVER)
    client = loading_client(gate)
    client.run(b"uci\nisready\n")
    client.until("readyok")
    client.run(b"go infinite\n")
    client.answer()


def test_a_clock_is_answered_without_kernels(gate: Gate) -> None:
    client = loading_client(gate).say("position startpos moves " + " ".join(FOOLS_MATE))
    lines = client.say("go wtime 100000 btime 100000").until("bestmove")
    assert lines[-1] == "bestmove d8h4"
    assert " score mate 1 " in lines[-2]


def test_the_soft_limit_waits_for_a_look_at_each_move(gate: Gate) -> None:
    ticks = count()
    client = loading_client(gate, lambda: float(next(ticks)))
    client.say("position startpos moves " + " ".join(FOOLS_MATE))
    lines = client.say("go wtime 200000 btime 200000").until("bestmove")
    assert lines[-1] == "bestmove d8h4"


@timed("the fallback search ends within 0.1 s of its limit")
@pytest.mark.parametrize("milliseconds", [1, 40, 300])
def test_movetime_is_kept_without_kernels(gate: Gate, milliseconds: int) -> None:
    client = loading_client(gate).say("setoption name Move Overhead value 0", "position startpos")
    start = time.perf_counter()
    client.say(f"go movetime {milliseconds}").answer()
    assert (time.perf_counter() - start) * 1000 < milliseconds + 100


def test_kernels_that_arrive_in_time_search(gate: Gate) -> None:
    client = loading_client(gate, clock := Clock()).say("go movetime 60000")
    client.until("info depth 3")
    clock.advance(2)
    gate.open.set()
    assert read_info(client.until("info depth 20 ")[-1]).time == 2000, "the time counts from go"
    ((_, soft),) = gate.engine.asked
    assert soft is None
    client.say("stop").answer()
    assert client.is_silent()


def test_the_time_without_kernels_counts_towards_the_soft_limit(gate: Gate) -> None:
    client = loading_client(gate, clock := Clock()).say("setoption name Move Overhead value 0")
    client.say("go wtime 410000 movestogo 20").until("info depth 3")
    clock.advance(15)
    gate.open.set()
    client.until("info depth 20 ")
    assert gate.engine.asked[0][1] == 5000
    clock.advance(5)
    client.answer()


def test_kernels_that_arrive_too_late_to_search(gate: Gate) -> None:
    client = loading_client(gate).say("go movetime 200")
    client.answer()
    gate.open.set()
    assert client.is_silent()
    assert gate.engine.asked == []


@pytest.mark.parametrize("go", ["go depth 4", "go nodes 9 depth 4"])
def test_other_searches_wait_for_the_kernels(gate: Gate, go: str) -> None:
    client = loading_client(gate, clock := Clock()).say(go)
    assert client.until("info string compiling")
    assert client.is_silent()
    clock.advance(2)
    gate.open.set()
    lines = client.answer()
    assert len(lines) == 6
    assert read_info(lines[-2]).time == 0, "waiting is not searching"


@pytest.mark.parametrize("go", ["go infinite", "go depth 9", "go nodes 1000"])
def test_stop_while_waiting_gives_a_move(gate: Gate, go: str) -> None:
    client = loading_client(gate).say(go)
    assert client.goes_on()
    client.say("isready", "stop").answer()
    gate.open.set()
    assert client.is_silent()


@pytest.mark.slow
@pytest.mark.parametrize("hit", ["ponderhit", "stop"])
@pytest.mark.parametrize("limit", ["wtime 300 btime 300", "movetime 60"])
def test_not_even_a_mate_is_played_while_pondering(gate: Gate, limit: str, hit: str) -> None:
    client = loading_client(gate).say("position startpos moves " + " ".join(FOOLS_MATE))
    client.say("setoption name MultiPV value 2", f"go ponder {limit}").until("info depth 1")
    assert client.is_silent(0.3)
    assert client.say(hit, "ponderhit", "stop").until("bestmove") == ["bestmove d8h4"]
    client.say("go infinite", "isready").until("readyok")
    assert client.is_silent()
    client.say("stop").until("bestmove")
    assert client.is_silent()


def test_kernels_that_arrive_while_pondering(gate: Gate) -> None:
    client = loading_client(gate).say("setoption name MultiPV value 3", "go ponder wtime 60000")
    client.until("info depth 3")
    gate.open.set()
    lines = client.until("info depth 20 seldepth 20 multipv 3")
    assert not any(line.startswith("bestmove") for line in lines)
    ((_, soft),) = gate.engine.asked
    assert soft is None, "the clock does not run yet"
    client.say("ponderhit", "stop").until("bestmove")
    assert len(gate.engine.spent) == 1
    assert client.is_silent()


def test_what_waits_for_the_kernels_waits_for_its_time_too(gate: Gate) -> None:
    client = loading_client(gate).say("go ponder depth 3", "isready")
    client.until("readyok")
    gate.open.set()
    client.until("info depth 3")
    assert client.is_silent()
    client.say("ponderhit").answer()
    assert client.is_silent()


def test_an_engine_that_cannot_be_loaded() -> None:
    def load(notice: Notice) -> Backend:
        raise ImportError("no numpy")

    client = Client(load)
    assert "no numpy" in client.say("uci").until("info string")[-1]
    for go in ("go depth 2", "go movetime 100", "go wtime 1000"):
        client.say(go).answer()
    client.say("go infinite").until("info depth 3")
    client.say("stop").answer()
    assert "failed to load" in client.say("bench").until("info string")[-1]


@pytest.mark.parametrize("task", ["bench", "go perft 5", "eval"])
def test_a_task_that_is_stopped_while_compiling_says_so(gate: Gate, task: str) -> None:
    client = loading_client(gate).say(task, "stop")
    client.until("info string stopped before the engine was loaded")


def test_quit_while_compiling(gate: Gate) -> None:
    check_quit(loading_client(gate))


def test_quit_answers_who_asked_whether_it_is_ready(gate: Gate) -> None:
    client = loading_client(gate)
    client.run(b"isready\nisready\nquit\n")
    assert client.until("readyok") + client.until("readyok") == ["readyok"] * 2


def test_what_is_loaded_is_never_searched_for_garbage() -> None:
    """Loaded objects are excluded from garbage collection, which would take 0.1 s within a move."""
    loader, ready, interval = Loader(), threading.Event(), sys.getswitchinterval()
    try:
        main._configure_process(loader)
        loader.when_done(ready.set)
        loader.start()
        assert ready.wait(120)
        assert loader.backend is not None
        assert len(gc.get_objects()) < gc.get_freeze_count()
    finally:
        gc.unfreeze()
        sys.setswitchinterval(interval)
