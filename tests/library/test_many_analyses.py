"""`analyse_many`: results in order, lazy, equal for any number of engines; engines are closed."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest
from chess.engine import EngineError, EngineTerminatedError, Limit
from pythagoras import Engine

from engine.jit.kernel import COMPILED
from helpers.programs import program, wait_for_threads
from helpers.timing import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]

LIMIT = Limit(nodes=500)


def endless(taken: list[str]) -> Iterator[chess.Board]:
    """Yield one board again and again, with a further move on it each time."""
    board = chess.Board()
    for number in itertools.count():
        taken.append(board.fen())
        yield board
        board.push(list(board.legal_moves)[number % 3])


def test_many_boards(warm: Path) -> None:
    taken: list[str] = []
    with Engine({"Hash": 1}) as engine:
        before = threading.active_count()
        boards = [board.copy() for board in itertools.islice(endless([]), 6)]
        alone = [engine.analyse(each, LIMIT, game=object()) for each in boards]
        for jobs in 1, 2:
            taken.clear()
            results = engine.analyse_many(endless(taken), LIMIT, jobs=jobs)
            assert taken == []
            for count, expected in enumerate(alone, 1):
                info = next(results)
                for name in "score", "pv", "wdl", "nodes", "depth":
                    assert info[name] == expected[name]
                assert len(taken) <= count + 2 * jobs
            results.close()
            assert next(results, None) is None
            wait_for_threads(before)
        dropped = engine.analyse_many(endless([]), Limit(nodes=10**12), jobs=1)
        del dropped
        wait_for_threads(before)


def test_what_fails_is_raised_in_its_turn(warm: Path) -> None:
    boards = [chess.Board(), chess.Board(None), chess.Board()]
    with Engine({"Hash": 1, "UCI_ShowWDL": False}) as engine:
        results = engine.analyse_many(boards, LIMIT, multipv=2, jobs=1)
        first = next(results)
        assert len(first) == 2
        assert "wdl" not in first[0]
        with pytest.raises(EngineError, match="no white king"):
            next(results)
        assert [[line["pv"] for line in lines] for lines in results] == [
            [line["pv"] for line in first]
        ]
        with pytest.raises(EngineError, match="0 jobs"):
            engine.analyse_many(boards, LIMIT, jobs=0)
    with pytest.raises(EngineTerminatedError):
        engine.analyse_many(boards, LIMIT)


def test_a_program_that_ends_meanwhile(warm: Path) -> None:
    """A program that ends does not wait for searches whose results are no longer needed."""
    code = """
import chess
from chess.engine import Limit
from pythagoras import Engine
limits = Limit(nodes=10**12)
engine = Engine()
results = engine.analyse_many([chess.Board()] * 4, limits, jobs=1)
import threading, time
threading.Thread(target=next, args=(results, None), daemon=True).start()
time.sleep(0.3)
print("end", flush=True)
"""
    process = program(warm, code)
    out, _ = process.communicate(timeout=PATIENCE + 5)
    assert (out, process.returncode) == ("end\n", 0)
