"""Several engines at once on a suite, by engines whose output the test determines."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helpers.fake_managers import posix
from helpers.inline_executor import Inline
from helpers.processes import marked
from uci.apps.engines import client
from uci.apps.engines.client import EngineClient, split_command
from uci.apps.engines.executor import TaskLost
from uci.apps.engines.task_worker import this_worker
from uci.apps.engines.thread_pool import ThreadPool
from uci.apps.epd import engine_group as module
from uci.apps.epd.engine_group import solve
from uci.apps.epd.suite_file import Problem, read_problem
from uci.apps.epd.suite_runner import SuiteRunner
from uci.errors import UciError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"

# Plays e2e4 at once; a `mode` makes it behave otherwise in positions after the third move.
FAKE = """
import os, sys, time
mode, log = sys.argv[1], open(sys.argv[2], "a", buffering=1)
third = False
def say(*lines):
    print(*lines, sep="\\n", flush=True)
while line := sys.stdin.readline():
    word, _, rest = line.strip().partition(" ")
    log.write(line)
    if word == "uci":
        if mode == "mute":
            time.sleep(600)
        say("id name Fake of " + mode, "option name Hash type spin default 1 min 1 max 9",
            "option name UCI_Chess960 type check default false", "uciok")
    elif word == "isready":
        say("readyok")
    elif word == "position":
        third = rest.endswith(" 3")
    elif word == "go":
        if third and mode == "vanishes":
            os.remove(sys.argv[0])
        if third and mode in ("dies", "vanishes"):
            sys.exit(3)
        if third and mode == "hangs":
            continue
        if third and mode == "stops":
            say("info depth 1 score cp 1 pv e2e4")
            while sys.stdin.readline().strip() != "stop":
                pass
        if third and mode == "lies":
            say("bestmove e2e5")
            continue
        say("info depth 1 nodes 7 time 5 score cp 20 pv d2d4",
            "info string a remark score cp 3 depth 3",
            "info depth 2 multipv 2 nodes 8 time 6 score cp 9 pv e2e4",
            "info depth 2 nodes 9 time 7 score cp -30 pv e2e4 e7e5", "bestmove e2e4 ponder e7e5")
    elif word == "quit":
        sys.exit()
"""


def problems(count: int) -> list[Problem]:
    return [
        read_problem("x", n, f"{START} bm e4; hmvc 0; fmvn {n};")[0] for n in range(1, count + 1)
    ]


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    path = tmp_path / "fake.py"
    path.write_text(FAKE)
    return path


def command(fake: Path, mode: str) -> str:
    return f"{sys.executable} {fake} {mode} {fake.with_name(mode)}"


@contextlib.contextmanager
def runner(
    words: Sequence[str], options: Mapping[str, str], go: tuple[str, int], jobs: int = 0
) -> Iterator[SuiteRunner]:
    """Yield a runner with ``jobs`` threads, or in this thread."""
    try:
        with ThreadPool(jobs) if jobs else Inline() as executor:
            yield SuiteRunner(words, options, go, executor)
    finally:
        this_worker().close()


def run(words: Sequence[str], jobs: int = 0, count: int = 5) -> list[list[tuple[bool, str]]]:
    with runner(words, {"Hash": "2"}, ("movetime", 1), jobs) as it:
        found = dict(it.results(problems(count)))
    return [[(each.solved, each.error) for each in found[number]] for number in sorted(found)]


RIGHT = True, ""


@pytest.mark.parametrize("jobs", [1, 3])
def test_engines_side_by_side(fake: Path, jobs: int) -> None:
    words = [command(fake, "one"), command(fake, "two")]
    assert run(words, jobs) == [[RIGHT, RIGHT]] * 5
    said = (fake.with_name("one")).read_text()
    assert 1 <= said.count("uci\n") == said.count("go depth 1\n") <= jobs
    assert said.count("ucinewgame\n") == said.count("go movetime 1\n") == 5
    assert said.count("setoption name Hash value 2\n") == said.count("uci\n")


def test_what_it_says_is_understood(fake: Path) -> None:
    options = {"Hash": "2", "Threads": "1"}
    with runner([command(fake, "one")] * 3, options, ("nodes", 5)) as it:
        assert it.names == ["Fake of one", "Fake of one (2)", "Fake of one (3)"]
        assert it.missing_options == ("Fake of one has no option Threads",) * 3
        [(_, [found, *_])] = it.results(problems(1))
    assert (found.san, found.time, found.depth, found.nodes, found.cp) == ("e4", 7, 2, 9, -30)


def test_castling_is_told_as_the_position_needs_it(fake: Path) -> None:
    both = [
        read_problem("x", 1, "1r2k1r1/p7/8/8/8/8/6P1/1R2K1R1 w GBgb - bm O-O;")[0],
        read_problem("x", 2, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O;")[0],
    ]
    with runner([command(fake, "one")], {}, ("nodes", 5)) as it:
        assert len(list(it.results(both))) == 2
    said = fake.with_name("one").read_text().splitlines()
    assert [line for line in said if "960" in line or line.startswith("position")] == [
        "setoption name UCI_Chess960 value true",
        "position fen 1r2k1r1/p7/8/8/8/8/6P1/1R2K1R1 w KQkq - 0 1",
        "setoption name UCI_Chess960 value false",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    ]


def test_an_engine_that_dies_starts_again(fake: Path) -> None:
    died = False, "Fake of dies has ended"
    words = [command(fake, "dies"), command(fake, "one")]
    assert run(words) == [[RIGHT, RIGHT]] * 2 + [[died, RIGHT]] + [[RIGHT, RIGHT]] * 2


def test_an_answer_that_is_no_move_is_an_error(fake: Path) -> None:
    assert run([command(fake, "lies")])[2] == [(False, "illegal move: e2e5")]


@pytest.mark.slow
def test_an_engine_that_hangs_is_ended(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 1.0)
    monkeypatch.setattr(client, "CLOSE_TIMEOUT", 0.1)
    assert run([command(fake, "hangs")])[2] == [
        (False, "Fake of hangs: timed out waiting for bestmove")
    ]


@pytest.mark.slow
def test_engines_that_do_not_start(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 1.0)
    monkeypatch.setattr(client, "CLOSE_TIMEOUT", 0.1)
    reasons = {
        "nowhere/engine": "nowhere/engine: No such file or directory",
        "": "--engine: expected a command",
        "'": ": No closing quotation",
        f"{sys.executable} -c pass": "has ended",
        command(fake, "mute"): "timed out waiting for uciok",
    }
    for word, reason in reasons.items():
        with pytest.raises(UciError) as error, runner([word], {}, ("nodes", 5)):
            pass
        assert reason in str(error.value)


def test_an_engine_that_does_not_start_again_ends_it(fake: Path) -> None:
    with runner([command(fake, "vanishes")], {}, ("nodes", 5)) as it:
        results = it.results(problems(9))
        assert [next(results)[0] for _ in range(3)] == [0, 1, 2]
        with pytest.raises(UciError, match="has ended"):
            next(results)


def test_a_position_that_ends_its_engines_is_an_error(fake: Path) -> None:
    class Losing(Inline):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if fn is solve and args[2].line == 2:
                fn, args = fail, ()
            return super().submit(fn, *args, **kwargs)

    def fail() -> None:
        raise TaskLost("it crashed 4 engines")

    found = dict(
        SuiteRunner([command(fake, "one")] * 2, {}, ("nodes", 5), Losing()).results(problems(3))
    )
    this_worker().close()
    lost = False, "given up: it crashed 4 engines"
    assert [[(each.solved, each.error) for each in found[number]] for number in range(3)] == [
        [RIGHT] * 2,
        [lost] * 2,
        [RIGHT] * 2,
    ]


@posix
def test_leaving_stops_the_searches_and_the_engines(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"CONTEST_MARK={fake}"
    monkeypatch.setenv("CONTEST_MARK", str(fake))
    with runner([command(fake, "stops")], {}, ("nodes", 5), 2) as it:
        results = it.results(problems(9))
        assert {next(results)[0], next(results)[0]} < {0, 1, 3, 4}
        assert marked(mark)
    assert not marked(mark)


@pytest.mark.parametrize(
    ("system", "text", "words"),
    [
        ("posix", '"an engine" --x "y z"', ["an engine", "--x", "y z"]),
        ("nt", r'"C:\Program Files\sf.exe" --x', [r"C:\Program Files\sf.exe", "--x"]),
    ],
)
def test_words_of_a_command(
    system: str, text: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "os", SimpleNamespace(name=system))
    assert split_command(text) == words


def test_a_name_with_spaces_is_one_word(tmp_path: Path) -> None:
    path = tmp_path / "an engine.sh"
    script = "read _; echo id name Spaced; echo uciok; read _; echo readyok; read _"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    engine = EngineClient(str(path), {})
    assert engine.start()
    engine.close()
    assert engine.name == "Spaced"
