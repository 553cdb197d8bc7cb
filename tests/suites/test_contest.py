"""Engines side by side, with engines that say what the test has them say."""

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from helpers.fake_managers import posix
from helpers.processes import marked
from uci.suites import contest as module
from uci.suites import contestants
from uci.suites.contest import Contest
from uci.suites.contestants import EngineGone, OtherEngine
from uci.suites.suite_file import Problem, read_problem

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"

# Plays e2e4 at once; with `mode` it does otherwise in the positions after the third move.
FAKE = """
import sys, time
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
        if third and mode == "dies":
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


def run(words: Sequence[str], jobs: int = 1, count: int = 5) -> list[list[tuple[bool, str]]]:
    with Contest(words, {"Hash": "2"}, ("movetime", 1), jobs) as contest:
        found = dict(contest.results(problems(count)))
    return [[(each.solved, each.error) for each in found[number]] for number in sorted(found)]


RIGHT = True, ""


@pytest.mark.parametrize("jobs", [1, 3])
def test_engines_side_by_side(fake: Path, jobs: int) -> None:
    words = [command(fake, "one"), command(fake, "two")]
    assert run(words, jobs) == [[RIGHT, RIGHT]] * 5
    said = (fake.with_name("one")).read_text()
    assert said.count("uci\n") == said.count("go depth 1\n") == jobs
    assert said.count("ucinewgame\n") == said.count("go movetime 1\n") == 5
    assert said.count("setoption name Hash value 2\n") == jobs


def test_what_it_says_is_understood(fake: Path) -> None:
    with Contest(
        [command(fake, "one")] * 3, {"Hash": "2", "Threads": "1"}, ("nodes", 5), 1
    ) as contest:
        assert contest.names == ["Fake of one", "Fake of one (2)", "Fake of one (3)"]
        assert contest.lacks == ["Fake of one has no option Threads"] * 3
        [(_, [found, *_])] = contest.results(problems(1))
    assert (found.san, found.time, found.depth, found.nodes, found.cp) == ("e4", 7, 2, 9, -30)


def test_castling_is_told_as_the_position_needs_it(fake: Path) -> None:
    both = [
        read_problem("x", 1, "1r2k1r1/p7/8/8/8/8/6P1/1R2K1R1 w GBgb - bm O-O;")[0],
        read_problem("x", 2, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O;")[0],
    ]
    with Contest([command(fake, "one")], {}, ("nodes", 5), 1) as contest:
        assert len(list(contest.results(both))) == 2
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
    assert run([command(fake, "lies")])[2] == [(False, "no legal move: e2e5")]


def test_an_engine_that_hangs_is_ended(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 1.0)
    monkeypatch.setattr(contestants, "LAST_WORDS", 0.1)
    assert run([command(fake, "hangs")])[2] == [(False, "Fake of hangs says no bestmove")]


def test_engines_that_do_not_start(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contestants, "PATIENCE", 1.0)
    monkeypatch.setattr(contestants, "LAST_WORDS", 0.1)
    reasons = {
        "/nowhere/engine": "/nowhere/engine: No such file or directory",
        "": ": ",
        "'": ": No closing quotation",
        f"{sys.executable} -c pass": "has ended",
        command(fake, "mute"): "says no uciok",
    }
    for word, reason in reasons.items():
        with pytest.raises(EngineGone) as error, Contest([word], {}, ("nodes", 5), 1):
            pass
        assert reason in str(error.value)


def test_an_engine_that_does_not_start_again_ends_it(fake: Path) -> None:
    with Contest([command(fake, "dies")], {}, ("nodes", 5), 1) as contest:
        results = contest.results(problems(9))
        for _ in range(3):
            next(results)
        fake.unlink()
        with pytest.raises(EngineGone, match="has ended"):
            list(results)


@posix
def test_leaving_stops_the_searches_and_the_engines(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"CONTEST_MARK={fake}"
    monkeypatch.setenv("CONTEST_MARK", str(fake))
    found = []
    threads = threading.active_count()
    with Contest([command(fake, "stops")], {}, ("nodes", 5), 2) as contest:
        assert len(marked(mark)) == 2
        for number, _ in contest.results(problems(9)):
            found.append(number)
            if len(found) == 2:
                break
    assert marked(mark) == []
    assert threading.active_count() <= threads + 2  # who listened to them may end a moment later


def test_a_name_with_spaces_is_one_word(tmp_path: Path) -> None:
    path = tmp_path / "an engine.sh"
    says = "id name Spaced", "uciok", "readyok", "bestmove e2e4"
    lines = ["#!/bin/sh", *(f"echo '{line}'" for line in says), "cat >/dev/null"]
    path.write_text("\n".join(lines))
    path.chmod(0o755)
    engine = OtherEngine(str(path))
    engine.introduce({})
    engine.stop()
    engine._process.stdin.close()
    engine.close()
    assert engine.name == "Spaced"
