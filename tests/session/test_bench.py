"""The bench: the same count in every run, in every process, compiled and interpreted."""

import os
import re
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from engine.jit.kernel import COMPILED
from uci.chess_io.convert import board_of
from uci.session import bench as module
from uci.session.bench import CHECK_DEPTH, CHECK_NODES, POSITIONS, bench

SUMMARY = re.compile(r"(\d+) nodes (\d+) nps")
NODES = re.compile(r" nodes (\d+) fen ")
SMALL_DEPTH = 4
SMALL = (POSITIONS[0], POSITIONS[11], POSITIONS[13])
"""The start, a Chess960 middlegame and an endgame: a few thousand nodes."""


def run(depth: int | None, *positions: str) -> list[int]:
    """Return the nodes of each position in the bench's output, and check the summary."""
    with pytest.MonkeyPatch.context() as patch:
        if positions:
            patch.setattr(module, "POSITIONS", positions)
        *lines, last = bench(depth, 1, lambda: False)
    found = [int(NODES.search(line)[1]) for line in lines]
    summary = SUMMARY.fullmatch(last)
    assert summary
    assert int(summary[1]) == sum(found)
    return found


def in_a_process(call: str, root: Path, **settings: str) -> str:
    """Return the output of a call of this module's function in a process of its own."""
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("NUMBA_")}
    environment |= {"PYTHONPATH": os.pathsep.join([str(root), str(root / "tests")])} | settings
    done = subprocess.run(
        [sys.executable, "-c", f"from session.test_bench import *; print({call})"],
        cwd=root, env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    return done.stdout.strip()


def test_the_positions() -> None:
    boards = [board_of(fen) for fen in POSITIONS]
    assert 35 <= len(boards) <= 50
    assert len({board.epd() for board in boards}) == len(boards)
    assert all(any(board.legal_moves) for board in boards)
    assert any(board.castling_rights and board.king(chess.WHITE) != chess.E1 for board in boards)
    assert {board.turn for board in boards} == {chess.WHITE, chess.BLACK}


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_a_line_a_position_and_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = POSITIONS if COMPILED else SMALL
    monkeypatch.setattr(module, "POSITIONS", positions)
    lines = list(bench(1, 1, lambda: False))
    assert len(lines) == len(positions) + 1
    assert SUMMARY.fullmatch(lines[-1])
    assert not any(SUMMARY.fullmatch(line) for line in lines[:-1])
    assert [line.split(" fen ")[1] for line in lines[:-1]] == list(positions)


@pytest.mark.interpreted
@pytest.mark.parametrize("patience", [0, 1, 5])
def test_it_can_be_halted(patience: int) -> None:
    answers = iter([False] * patience + [True] * 1000)
    lines = list(bench(1, 1, lambda: next(answers)))
    assert len(lines) <= patience
    assert not any(SUMMARY.fullmatch(line) for line in lines)


@pytest.mark.boundscheck
def test_the_same_count_again() -> None:
    assert run(6) == run(6)


def test_the_count_that_the_doctor_wants() -> None:
    """The expected count is up to date; every functional change of the search changes it."""
    assert sum(run(CHECK_DEPTH)) == CHECK_NODES


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="would compare the interpreter with itself")
def test_the_interpreter_counts_the_same(root: Path) -> None:
    """The interpreter counts the same; a kernel that overflows would search another tree."""
    found = run(SMALL_DEPTH, *SMALL)
    assert sum(found) > 900
    assert in_a_process("run(SMALL_DEPTH, *SMALL)", root, NUMBA_DISABLE_JIT="1") == str(found)


@pytest.mark.long
def test_the_whole_bench() -> None:
    assert sum(run(None)) >= 10_000_000
